import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCbos, startCbos } from '../harness/cbos.ts';
import { stopProcess } from '../harness/stop-process.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const servers = (): number => world.processes().filter(({ command }) => command.includes(' serve')).length;

test('three `cbos up` at once start one server, and each reports that it runs', async () => {
  const env = { CBOS_PORT: String(await world.freePort()) };
  const up = () => runCbos(world, ['up', '--json'], { env });
  const results = await Promise.all([up(), up(), up()]);
  const outcomes = results.map(({ code, stdout, stderr }) =>
    code === 0 ? (JSON.parse(stdout) as { status: string }).status : stderr,
  );
  expect(outcomes.sort()).toEqual(['already_running', 'already_running', 'started']);
  await waitFor(() => servers() === 1, { describe: 'one server runs', actual: servers });
  await runCbos(world, ['down'], { env });
});

describe('a server whose process is stopped', () => {
  test('is named, with its cure, by every command, and works when it is continued', async () => {
    const cbos = await startCbos(world);
    await stopProcess(cbos.pid);
    try {
      const commands = [['ls'], ['show', 'A'], ['send', 'A', 'hello'], ['wait', 'A'], ['up'], ['down']];
      const results = await Promise.all(commands.map((words) => cbos.cli(words)));
      for (const [index, { code, stderr }] of results.entries()) {
        expect([commands[index], code, stderr]).toEqual([
          commands[index],
          5,
          `cbos: The server does not respond: its process (pid ${cbos.pid}) is stopped — Resume it: \`kill -CONT ${cbos.pid}\`\n`,
        ]);
      }
    } finally {
      process.kill(cbos.pid, 'SIGCONT');
    }
    expect((await cbos.cli(['ls'])).code).toBe(0);
  });
});
