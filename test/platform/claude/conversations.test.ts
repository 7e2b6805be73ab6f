import { appendFileSync, chmodSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findConversation, listConversations, transcriptFile } from '../../../src/platform/claude/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let configDir: string;
beforeEach(() => {
  world = createWorld();
  configDir = join(world.home, '.claude');
});
afterEach(() => world.dispose());

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Writes a transcript as Claude Code does. A higher number makes a newer file. */
function transcript(n: number, lines: readonly object[], cwd = world.projectDir): string {
  const file = transcriptFile({ configDir, cwd, sessionId: idOf(n) });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  utimesSync(file, 1_000 + n, 1_000 + n);
  return file;
}
const prompt = (content: unknown, more: object = {}): object => ({
  type: 'user',
  cwd: world.projectDir,
  message: { role: 'user', content },
  ...more,
});
const makeFifo = (file: string) => runProgram('mkfifo', [file], { env: world.env, timeoutMs: 5_000 });
const listed = async (): Promise<string[]> =>
  (await listConversations(configDir, 50)).map(({ sessionId }) => sessionId);

test('conversations are listed newest first, with the directory and the first prompt', async () => {
  transcript(1, [{ type: 'mode' }, prompt('caveat', { isMeta: true }), prompt('mend the cart'), prompt('and this')]);
  transcript(2, [prompt([{ type: 'image' }, { type: 'text', text: 'what is this?' }])]);
  expect(await listConversations(configDir, 50)).toEqual([
    { sessionId: idOf(2), cwd: world.projectDir, title: 'what is this?', lastActivity: 1_002_000 },
    { sessionId: idOf(1), cwd: world.projectDir, title: 'mend the cart', lastActivity: 1_001_000 },
  ]);
  expect(await listConversations(configDir, 1)).toHaveLength(1);
});

describe('a conversation is left out, and affects no other', () => {
  test.each([
    ['never prompted', () => transcript(1, [{ type: 'mode' }, prompt('caveat', { isMeta: true })])],
    ['empty', () => transcript(1, [])],
    ['garbage', () => writeFileSync(transcript(1, []), Buffer.from([0, 255, 254, 10, 123, 34]))],
    ['cut off in its first line', () => writeFileSync(transcript(1, []), JSON.stringify(prompt('x')).slice(0, -5))],
    ['without a directory', () => transcript(1, [prompt('x', { cwd: undefined })])],
    ['of a different directory than its folder says', () => transcript(1, [prompt('x', { cwd: '/elsewhere' })])],
    ['a folder', () => mkdirSync(transcript(1, []).replace(idOf(1), idOf(3)))],
    ['a pipe', () => makeFifo(transcript(1, []).replace(idOf(1), idOf(3)))],
    ['a link to nothing', () => symlinkSync('/nowhere', transcript(1, []).replace(idOf(1), idOf(3)))],
    ['in an unreadable folder', () => chmodSync(dirname(transcript(1, [prompt('x')], '/x')), 0)],
  ])('%s', async (_, make) => {
    await make();
    transcript(2, [prompt('hello')]);
    expect(await listed()).toEqual([idOf(2)]);
    expect(await findConversation(configDir, idOf(1))).toBeNull();
    expect(await findConversation(configDir, idOf(2))).toMatchObject({ title: 'hello' });
  });
});

test('a first prompt of megabytes is found, and its title is short; the text after it is not read', async () => {
  const file = transcript(1, [prompt('x'.repeat(3_000_000))]);
  // A sparse file of 200 MB.
  truncateSync(file, 200_000_000);
  appendFileSync(file, '\n');
  const before = process.memoryUsage().arrayBuffers;
  const [found] = await listConversations(configDir, 50);
  expect(found).toMatchObject({ sessionId: idOf(1), title: 'x'.repeat(200) });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
});

test('if Claude Code has never run there are none', async () => {
  expect(await listed()).toEqual([]);
  expect(await findConversation(configDir, idOf(1))).toBeNull();
});
