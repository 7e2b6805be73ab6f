import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/platform/process/index.ts';
import { readSettings } from '../../src/platform/settings/index.ts';
import { createWorld } from '../harness/world.ts';

const BOMBS: Record<string, (file: string) => unknown> = {
  'a pipe': (file) => runProgram('mkfifo', [file], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 5_000 }),
  'a file of 20 MB': (file) => writeFileSync(file, '# comment\n'.repeat(2_000_000)),
  'lists in lists': (file) => writeFileSync(file, `a = ${'['.repeat(100_000)}`),
  'tables in tables': (file) => writeFileSync(file, `a = ${'{b='.repeat(100_000)}`),
  'the same key twice': (file) => writeFileSync(file, 'port = 1\nport = 2\n'),
};

test.each(Object.entries(BOMBS))('settings that are %s are refused at once, with the cure', async (_name, plant) => {
  await using world = createWorld();
  mkdirSync(world.cbosHome, { recursive: true, mode: 0o700 });
  await plant(join(world.cbosHome, 'config.toml'));
  const before = performance.now();
  await expect(
    readSettings({ flags: {}, environment: world.env, cwd: world.dir, userHome: world.home }),
  ).rejects.toMatchObject({ code: 'invalid_setting' });
  expect(performance.now() - before).toBeLessThan(5_000);
});
