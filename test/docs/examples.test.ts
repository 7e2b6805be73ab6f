import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startFaces, TOKEN } from '../harness/faces.ts';
import { waitFor } from '../harness/wait-for.ts';

test("the page's client in three lines of JavaScript, as the API page has it, gets every session's output", async () => {
  await using server = await startFaces();
  server.sessions.add('AUTH').write('old');
  const [, code] = /```js\n([^`]*new WebSocket[^`]*)```/.exec(readFileSync('docs/API.md', 'utf8')) ?? [];
  expect(code).toContain("'cbos', 'bearer.' + token");
  let written = '';
  let socket: WebSocket | null = null;
  /** The class of the browser, but with the port of this test. */
  class Here extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address.replace(':32205', `:${server.port}`), protocols);
      socket = this;
    }
  }
  const stdout = {
    write: (text: string) => {
      written += text;
    },
  };
  new Function('WebSocket', 'token', 'process', code ?? '')(Here, TOKEN, { stdout });
  server.world.onDispose(() => socket?.terminate());
  await waitFor(() => written.includes('old'), { describe: 'the earlier output is shown' });
  server.sessions.stream('AUTH').write(' and new');
  server.sessions.add('LATER').write('later');
  await waitFor(() => written.includes(' and new') && written.includes('later'), { describe: 'the output is shown' });
});

const hasPython = spawnSync('python3', ['-c', 'import asyncio']).status === 0;
const hasPackage = hasPython && spawnSync('python3', ['-c', 'import websockets']).status === 0;
/** The folder with the part of the package that the example uses. */
const STAND_IN = fileURLToPath(new URL('../harness/python', import.meta.url));
const how = hasPython
  ? hasPackage
    ? ''
    : ' (the package websockets is a stand-in here)'
  : ' (skipped: no python3 here)';

test.skipIf(!hasPython)(
  `the client in ten lines of Python, as the page of the API has it, gets every session's output${how}`,
  async () => {
    await using server = await startFaces();
    server.sessions.add('AUTH').write('old ❯');
    const [, code = ''] = /```python\n([^`]*websockets[^`]*)```/.exec(readFileSync('docs/API.md', 'utf8')) ?? [];
    const program = join(server.world.dir, 'client.py');
    writeFileSync(program, code.replace(':32205', `:${server.port}`));
    const env = { ...server.world.env, PYTHONDONTWRITEBYTECODE: '1', ...(hasPackage ? {} : { PYTHONPATH: STAND_IN }) };
    const client = spawn('python3', [program, TOKEN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    server.world.onDispose(() => void client.kill());
    let written = '';
    for (const stream of [client.stdout, client.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        written += text;
      });
    await waitFor(() => written.includes('old ❯'), { describe: 'the earlier output is shown', actual: () => written });
    server.sessions.stream('AUTH').write(' and new');
    server.sessions.add('LATER').write('later');
    await waitFor(() => written.includes(' and new') && written.includes('later'), {
      describe: 'the output is shown',
      actual: () => written,
    });
  },
);
