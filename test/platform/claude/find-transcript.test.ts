import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  conversationFor,
  findTranscript,
  folderOfTranscript,
  isStoredFor,
} from '../../../src/platform/claude/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { createWorld, type World } from '../../harness/world.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const NEW = '33333333-3333-4333-8333-333333333333';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

/** Writes a transcript into one of the project folders. A higher number makes a newer file. */
function transcript(project: string, age = 1, lines: readonly object[] = [{ type: 'user' }]): string {
  const file = join(world.home, 'projects', project, `${ID}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  utimesSync(file, age, age);
  return file;
}
const found = (reported: string | null = null) => findTranscript({ sessionId: ID, configDirs: [world.home], reported });

test('a transcript is found where it was reported, or else in whichever folder has it, the newest first', async () => {
  expect(await found()).toBeNull();
  const moved = transcript('-src-shop--claude-worktrees-feat', 2);
  expect(await found('/gone/projects/-src-shop/'.concat(`${ID}.jsonl`))).toBe(moved);
  const older = transcript('-src-shop', 1);
  expect(await found()).toBe(moved);
  expect(await found(older)).toBe(older);
  transcript('-src-shop', 3, [{ type: 'mode' }]);
  expect(await found(older)).toBe(moved);
});

test('a pipe or a folder of that name is left out', async () => {
  const file = transcript('-a');
  await runProgram('rm', [file], { env: world.env, timeoutMs: 5_000 });
  await runProgram('mkfifo', [file], { env: world.env, timeoutMs: 5_000 });
  mkdirSync(join(world.home, 'projects', '-b', `${ID}.jsonl`), { recursive: true });
  expect(await found()).toBeNull();
});

test('a conversation that has begun is never replaced by an empty one', async () => {
  const own = { configDirs: [world.home], sessionId: ID, reported: null };
  expect(await conversationFor({ ...own, isBegun: false }, null, NEW)).toEqual({ kind: 'new', sessionId: NEW });
  expect(await conversationFor({ ...own, isBegun: true }, null, NEW)).toEqual({ kind: 'missing', sessionId: ID });
  const fork = { sessionId: NEW, cwd: '/src/original' };
  expect(await conversationFor({ ...own, isBegun: true }, fork, NEW)).toEqual({ kind: 'missing', sessionId: ID });
});

// 2.1.330: a folder's name is cut at 200 characters, and a hash of 6 follows.
test.each([
  ['/src/shop', '-src-shop', true],
  ['/src/shop', '-src-other', false],
  ['/src/a.b_c', '-src-a-b-c', true],
  [`/${'x'.repeat(250)}`, `-${'x'.repeat(199)}-lb7orc`, true],
  [`/${'x'.repeat(250)}`, `-${'x'.repeat(250)}`, true],
  [`/${'x'.repeat(250)}`, `-${'x'.repeat(100)}-lb7orc`, false],
])('whether %s is stored in %s: %j', (cwd, project, is) => {
  expect(isStoredFor(`/home/.claude/projects/${project}/${ID}.jsonl`, cwd)).toBe(is);
});

test('the folder to which a transcript belongs is the one that its place is named after', async () => {
  const lines = [{ type: 'mode' }, { type: 'user', cwd: '/src/shop' }, { type: 'user', cwd: '/src/shop/wt' }];
  expect(await folderOfTranscript(transcript('-src-shop-wt', 1, lines))).toBe('/src/shop/wt');
  expect(await folderOfTranscript(transcript('-src-shop', 1, lines))).toBe('/src/shop');
  expect(await folderOfTranscript(transcript('-elsewhere', 1, lines))).toBeNull();
});
