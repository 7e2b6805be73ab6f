import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { PROGRAM } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

test('SIGUSR1 opens no debugger in the server, and ends nothing', async () => {
  await using world = createWorld();
  const port = await world.freePort();
  const env = { ...world.env, CBOS_PORT: String(port) };
  const server = spawn(process.execPath, [PROGRAM, 'serve'], {
    env,
    cwd: world.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const isUp = async (): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok === true;
  await waitFor(isUp, { describe: 'the server answers', timeoutMs: 30_000 });
  server.kill('SIGUSR1');
  for (let count = 0; count < 20; count += 1) expect(await isUp()).toBe(true);
  server.kill('SIGTERM');
  const [code] = (await once(server, 'close')) as [number | null];
  expect({ code, said }).toEqual({ code: 0, said: expect.not.stringMatching(/debugger/i) as string });
});
