import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTexts } from '../../../src/platform/claude/index.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

let dir: string;
beforeAll(() => {
  dir = makeTemporaryFolder();
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Writes an operation as 2.1.329 does. A `dequeue` contains no text. */
const operation = (name: string, content?: string): string =>
  JSON.stringify({
    type: 'queue-operation',
    operation: name,
    timestamp: '2026-11-21T15:52:38.630Z',
    sessionId: 's',
    content,
  });

function transcript(...lines: string[]): string {
  const file = join(dir, 'transcript.jsonl');
  writeFileSync(file, lines.join('\n'));
  return file;
}

test('a text that was moved out of the queue into the prompt is reported with its time', async () => {
  const file = transcript(
    operation('enqueue', 'first'),
    operation('enqueue', 'second\nline'),
    '{"type":"user","message":{"content":"a \\"queue-operation\\" in words"}}',
    operation('popAll', 'first'),
    operation('popAll', 'second\nline'),
    '{"type":"queue-operation","operation":"popAll","cut of',
  );
  const at = Date.parse('2026-11-21T15:52:38.630Z');
  expect([...(await readTexts(file)).putBack]).toEqual([
    ['first', at],
    ['second\nline', at],
  ]);
});

test('texts with the same words that came back together are counted', async () => {
  const both = [operation('popAll', 'again'), operation('popAll', 'again')];
  const told = await readTexts(transcript(operation('enqueue', 'again'), operation('enqueue', 'again'), ...both));
  expect([...told.repeated]).toEqual([['again', 2]]);
  const once = await readTexts(transcript(...both, operation('enqueue', 'again'), operation('popAll', 'again')));
  expect([[...once.putBack.keys()], [...once.repeated]]).toEqual([['again'], []]);
});

test('the texts that were in the queue last are those that no turn took and nobody moved out', async () => {
  const file = transcript(
    ...['dequeued', 'absorbed', 'back', 'same', 'same'].map((text) => operation('enqueue', text)),
    operation('dequeue'),
    operation('remove', 'absorbed'),
    operation('popAll', 'back'),
    operation('dequeue'),
    operation('enqueue', 'left'),
  );
  expect([...(await readTexts(file)).waiting.keys()]).toEqual(['same', 'left']);
});

test('a text that a turn took, or that was queued again, is not', async () => {
  const file = transcript(
    operation('popAll', 'again'),
    operation('enqueue', 'again'),
    operation('enqueue', 'taken'),
    operation('dequeue'),
    operation('enqueue', 'absorbed'),
    operation('remove', 'absorbed'),
  );
  const told = await readTexts(file);
  expect(told.putBack).toEqual(new Map());
  expect([...told.queued.keys()]).toEqual(['again', 'taken', 'absorbed']);
});

test('a conversation without a transcript has put nothing back', async () => {
  expect(await readTexts(join(dir, 'none.jsonl'))).toEqual({
    putBack: new Map(),
    taken: new Map(),
    queued: new Map(),
    waiting: new Map(),
    repeated: new Map(),
    refused: new Map(),
  });
});

test('a text that a turn took as a prompt is reported, until it is queued again', async () => {
  const took = (content: unknown): string => JSON.stringify({ type: 'user', message: { role: 'user', content } });
  const file = transcript(
    operation('enqueue', 'first'),
    operation('enqueue', 'second'),
    took('first '),
    took('second'),
    took([{ type: 'tool_result', content: 'a result' }]),
    operation('enqueue', 'second'),
  );
  expect((await readTexts(file)).taken).toEqual(new Map([['first', 0]]));
});

test('the time when a conversation took a text is reported, as a prompt or into its queue', async () => {
  const prompt = (text: unknown, timestamp: string): string =>
    JSON.stringify({ type: 'user', message: { role: 'user', content: text }, timestamp });
  const file = transcript(
    prompt('long ago', '2026-11-21T15:00:00.000Z'),
    operation('enqueue', 'queued '),
    operation('popAll', 'put back'),
    prompt('taken', '2026-11-21T15:52:39.000Z'),
    prompt([{ type: 'tool_result', content: 'a result' }], '2026-11-21T15:52:40.000Z'),
    '{"type":"user","message":{"content":"cut o',
  );
  const told = await readTexts(file);
  expect(told.taken).toEqual(
    new Map([
      ['long ago', Date.parse('2026-11-21T15:00:00.000Z')],
      ['taken', Date.parse('2026-11-21T15:52:39.000Z')],
    ]),
  );
  expect(told.queued).toEqual(new Map([['queued', Date.parse('2026-11-21T15:52:38.630Z')]]));
});
