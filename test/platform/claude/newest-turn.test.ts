import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keepNewestTurn } from '../../../src/platform/claude/index.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

const folder = makeTemporaryFolder();
let count = 0;
afterAll(() => rmSync(folder, { recursive: true }));

const line = (type: string, uuid: string, parentUuid: string | null, more: object = {}) => ({
  type,
  uuid,
  parentUuid,
  ...more,
});
const bookmark = (leafUuid: string) => ({ type: 'last-prompt', lastPrompt: 'hello', leafUuid, sessionId: 's' });
const BEGUN = [line('user', 'u1', null), line('assistant', 'a1', 'u1'), bookmark('a1')];
/** A hook refused a prompt, and the next prompt does not follow the note about that. */
const REFUSED = [...BEGUN, line('system', 'note', 'a1'), bookmark('note')];
const TURN = [line('user', 'u2', 'a1'), line('assistant', 'a2', 'u2')];

function transcriptOf(lines: readonly object[], rest = ''): string {
  count += 1;
  const path = join(folder, `${count}.jsonl`);
  writeFileSync(path, lines.map((one) => `${JSON.stringify(one)}\n`).join('') + rest);
  return path;
}

test.each([
  ['a turn after a refused prompt', [...REFUSED, ...TURN], 'a2'],
  ['a turn that has only begun', [...REFUSED, line('user', 'u2', 'a1')], 'u2'],
  [
    'a turn beside an agent that wrote last',
    [...REFUSED, ...TURN, line('user', 's1', null, { isSidechain: true })],
    'a2',
  ],
  [
    'a turn with more output than is read first',
    [...REFUSED, line('user', 'u2', 'a1', { text: 'x'.repeat(400_000) }), line('assistant', 'a2', 'u2')],
    'a2',
  ],
])('%s that has no bookmark gets one', async (_, lines, leaf) => {
  const path = transcriptOf(lines);
  const before = readFileSync(path, 'utf8');
  expect(await keepNewestTurn(path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(`${before}${JSON.stringify(bookmark(leaf))}\n`);
  expect(await keepNewestTurn(path)).toBe(false);
});

test('the bookmark has a line of its own, also after a line that is cut off', async () => {
  const path = transcriptOf([...REFUSED, ...TURN], '{"type":"assi');
  expect(await keepNewestTurn(path)).toBe(true);
  expect(readFileSync(path, 'utf8').split('\n').slice(-3)).toEqual([
    '{"type":"assi',
    JSON.stringify(bookmark('a2')),
    '',
  ]);
});

test.each([
  ['whose bookmark is the last line', [...REFUSED, ...TURN, bookmark('a2')]],
  ['that a person has rewound', [...BEGUN, ...TURN, bookmark('u1')]],
  ['whose newest turn follows the bookmark', [...BEGUN, ...TURN]],
  ['in which only an agent has written since', [...REFUSED, line('user', 's1', null, { isSidechain: true })]],
  ['of a version without bookmarks', [line('user', 'u1', null), line('assistant', 'a1', 'u1')]],
  ['that is empty', []],
])('a conversation %s stays as it is', async (_, lines) => {
  const path = transcriptOf(lines);
  const before = readFileSync(path, 'utf8');
  expect(await keepNewestTurn(path)).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a transcript that is gone is no conversation to mend', async () => {
  expect(await keepNewestTurn(join(folder, 'none.jsonl'))).toBe(false);
});
