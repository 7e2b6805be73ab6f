import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conversationFor, transcriptFile } from '../../../src/platform/claude/index.ts';
import { createWorld, type World } from '../../harness/world.ts';

const OWN = '11111111-1111-4111-8111-111111111111';
const ORIGINAL = '22222222-2222-4222-8222-222222222222';
const NEW = '33333333-3333-4333-8333-333333333333';
const FORK = { sessionId: ORIGINAL, cwd: '/src/original' };

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

/** Writes the transcript of a conversation that was prompted. */
function prompt(cwd: string, sessionId: string): string {
  const file = transcriptFile({ configDir: world.home, cwd, sessionId });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{"type":"user"}\n');
  return file;
}
const launched = (sessionId: string | null, fork: typeof FORK | null) =>
  conversationFor({ configDirs: [world.home], sessionId, reported: null, isBegun: false }, fork, NEW);

test('a fork copies the original until it has its own conversation, which it then continues', async () => {
  const from = prompt('/src/original', ORIGINAL);
  expect(await launched(null, FORK)).toEqual({ kind: 'fork', sessionId: NEW, from });
  expect(await launched(OWN, FORK)).toEqual({ kind: 'fork', sessionId: NEW, from });
  const transcript = prompt('/src/fork', OWN);
  expect(await launched(OWN, FORK)).toEqual({ kind: 'resume', sessionId: OWN, transcript });
});

test('without the original or with an invalid id, the original is missing, and no empty conversation takes its place', async () => {
  expect(await launched(OWN, FORK)).toEqual({ kind: 'missing', sessionId: ORIGINAL });
  expect(await launched(null, null)).toEqual({ kind: 'new', sessionId: NEW });
  prompt('/src/original', '../../escape');
  const outside = '../../escape';
  expect(await launched(null, { ...FORK, sessionId: outside })).toEqual({ kind: 'missing', sessionId: outside });
});
