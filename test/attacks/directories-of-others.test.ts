import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

/** The user `nobody` on every Linux. */
const SOMEBODY_ELSE = 65_534;
const isRoot = process.getuid?.() === 0;

let world: ClaudeWorld;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
});
afterEach(() => world.dispose());

const serve = () => runCbos(world, ['serve', '--port', '0']);

test('a directory of recordings that others may write into is made private, and a link in it empties no file', async () => {
  chmodSync(world.streamDir, 0o777);
  const cbos = await startCbos(world);
  expect(statSync(world.streamDir).mode & 0o777).toBe(0o755);

  const victim = join(world.dir, 'victim');
  writeFileSync(victim, 'mine');
  const created = await cbos.call('POST', '/sessions', { slug: 'A', type: 'screen', path: world.projectDir });
  expect(created.error).toBeNull();
  symlinkSync(victim, join(world.streamDir, 'A.keyframes'));
  await cbos.untilStatus('A', 'idle/ready');
  expect((await cbos.call('GET', '/sessions/A/replay/frame?t=0')).error).toBeNull();
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(statSync(join(world.streamDir, 'A.keyframes')).isFile()).toBe(true);
});

test('one that everybody shares, such as /tmp, is refused and not changed', async () => {
  chmodSync(world.streamDir, 0o1777);
  const { code, stderr } = await serve();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`other users can write to ${world.streamDir}`)]);
  expect(statSync(world.streamDir).mode & 0o7777).toBe(0o1777);
});

test.runIf(isRoot)('one that belongs to somebody else is refused', async () => {
  chownSync(world.streamDir, SOMEBODY_ELSE, SOMEBODY_ELSE);
  const { code, stderr } = await serve();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${world.streamDir} belongs to another user`)]);
});

test.runIf(isRoot)(
  "root does not use another user's home, where both users' files would be in each other's reach",
  async () => {
    mkdirSync(world.cbosHome, { mode: 0o700 });
    chownSync(world.cbosHome, SOMEBODY_ELSE, SOMEBODY_ELSE);
    for (const args of [['serve', '--port', '0'], ['up', '--port', '0'], ['token']]) {
      const { code, stderr } = await runCbos(world, args);
      expect([args[0], code, stderr]).toEqual([args[0], 2, expect.stringContaining('belongs to another user')]);
    }
    expect(statSync(world.cbosHome).uid).toBe(SOMEBODY_ELSE);
  },
);
