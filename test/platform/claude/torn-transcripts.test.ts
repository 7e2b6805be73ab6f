import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTranscript, listConversations, readTexts, transcriptFile } from '../../../src/platform/claude/index.ts';
import { SearchIndex } from '../../../src/platform/search/search-index.ts';
import { openSearchDatabase } from '../../../src/platform/sqlite/search-schema.ts';
import { SearchStore } from '../../../src/platform/sqlite/search-store.ts';
import { createWorld, type World } from '../../harness/world.ts';

const ID = '00000000-0000-4000-8000-000000000001';

let world: World;
let place: { configDir: string; cwd: string; sessionId: string };
let file: string;
beforeAll(() => {
  world = createWorld();
  place = { configDir: join(world.home, '.claude'), cwd: world.projectDir, sessionId: ID };
  file = transcriptFile(place);
  mkdirSync(dirname(file), { recursive: true });
});
afterAll(() => world.dispose());

const at = (second: number): string => new Date(Date.UTC(2026, 10, 22, 5, 32, second)).toISOString();
const line = (value: object): string => `${JSON.stringify(value)}\n`;
const operation = (name: string, content: string) =>
  line({ type: 'queue-operation', operation: name, timestamp: at(1), sessionId: ID, content });
const message = (type: 'user' | 'assistant', second: number, content: unknown) =>
  line({ parentUuid: null, type, cwd: world.projectDir, timestamp: at(second), message: { role: type, content } });

/** Lines as 2.1.330 writes them, shortened. The lines before and after the torn line are complete. */
const earlier = (): string =>
  message('user', 2, 'prompt first') + operation('enqueue', 'kept ünbroken') + operation('popAll', 'kept ünbroken');
/** One line of every kind that is read, to be torn. */
const KINDS: [string, () => string][] = [
  ['a prompt', () => message('user', 5, 'prompt töorn')],
  ['an answer', () => message('assistant', 5, [{ type: 'text', text: 'answer töorn' }])],
  ['a queue operation', () => operation('popAll', 'operation töorn')],
];
/** The lines after a torn line. 2.1.330 begins a new line when it continues the conversation. */
const later = (): string => message('user', 60, 'prompt later') + operation('popAll', 'later');

async function searched(texts: readonly string[]): Promise<string[]> {
  const faults: unknown[] = [];
  const index = new SearchIndex({
    store: new SearchStore(openSearchDatabase(join(mkdtempSync(join(world.dir, 'index-')), 'search.db'))),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onError: (cause) => faults.push(cause),
  });
  for (const text of texts) {
    writeFileSync(file, text);
    index.readTranscript('id', file);
    await index.settled();
  }
  const { hits } = index.search({ query: 'prompt', session: null, kind: null, limit: 50 });
  await index.close();
  expect(faults).toEqual([]);
  return hits.map(({ at: time }) => new Date(time).toISOString()).sort();
}

describe('a line of a transcript that is cut anywhere costs only that line:', () => {
  test.each(KINDS)('%s', async (_, torn) => {
    const bytes = Buffer.from(torn());
    for (let length = 0; length < bytes.length - 1; length += 1) {
      const cut = Buffer.concat([Buffer.from(earlier()), bytes.subarray(0, length)]);
      writeFileSync(file, cut);
      expect([...(await readTexts(file)).putBack.keys()].filter((text) => !text.includes('töorn'))).toEqual([
        'kept ünbroken',
      ]);
      writeFileSync(file, Buffer.concat([cut, Buffer.from(`\n${later()}`)]));
      const told = await readTexts(file);
      expect([...told.putBack.keys()].filter((text) => !text.includes('töorn'))).toEqual(['kept ünbroken', 'later']);
      expect([...told.taken.keys()].filter((text) => !text.includes('töorn'))).toEqual([
        'prompt first',
        'prompt later',
      ]);
      expect(await findTranscript({ sessionId: ID, configDirs: [place.configDir], reported: null })).toBe(file);
      expect((await listConversations(place.configDir, 9)).map(({ title }) => title)).toEqual(['prompt first']);
    }
  });

  test('and the text before and after it is found, once', async () => {
    const torn = message('user', 5, 'prompt torn');
    for (const length of [0, 1, torn.length >> 1, torn.length - 2]) {
      const cut = earlier() + torn.slice(0, length);
      expect(await searched([earlier(), cut, `${cut}\n${later()}`])).toEqual([at(2), at(60)]);
      // The line may have been only half written when it was read for the first time.
      expect(await searched([cut, earlier() + torn + later()])).toEqual([at(2), at(5), at(60)]);
    }
  });
});

test('garbage, NULs and a line of 20 MB between others cost only themselves', async () => {
  const garbage = [
    'no JSON',
    '\0'.repeat(5_000),
    '[]',
    'null',
    '{"type":"user"}',
    '{"type":"user","message":7}',
    '\ud800{',
  ];
  const huge = message('assistant', 30, [{ type: 'text', text: 'x'.repeat(20_000_000) }]);
  const text = `${earlier()}${garbage.join('\n')}\n${huge}${later()}`;
  expect(await searched([text])).toEqual([at(2), at(60)]);
  expect((await listConversations(place.configDir, 9)).map(({ title }) => title)).toEqual(['prompt first']);
  expect(await findTranscript({ sessionId: ID, configDirs: [place.configDir], reported: null })).toBe(file);
  expect([...(await readTexts(file)).putBack.keys()]).toEqual(['later']);
});
