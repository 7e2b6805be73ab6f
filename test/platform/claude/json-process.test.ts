import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jsonFiles, startJsonProcess } from '../../../src/platform/claude/json/index.ts';
import { createWorld } from '../../harness/world.ts';

test('a process of a JSON session belongs to no terminal and no group of the server, whose end would end it too', async () => {
  await using world = createWorld();
  const files = jsonFiles(world.dir, 'launch');
  const env = { PATH: process.env.PATH ?? '', ...world.env };
  const { pid } = await startJsonProcess({
    ...{ argv: ['sleep', '600'], cwd: world.dir, env, files },
    onExit: () => undefined,
  });
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  expect([group, session]).toEqual([String(pid), String(pid)]);
});
