import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startFaces, TOKEN } from '../harness/faces.ts';
import { waitFor } from '../harness/wait-for.ts';

test("the page's client in three lines of JavaScript, as the README has it, gets every session's output", async () => {
  await using server = await startFaces();
  server.sessions.add('AUTH').write('old');
  const [, code] = /```js\n([^`]*new WebSocket[^`]*)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(code).toContain("'cbos', 'bearer.' + token");
  let written = '';
  let socket: WebSocket | null = null;
  /** The browser's class, with the port of this test. */
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
  await waitFor(() => written.includes('old'), { describe: 'what was there is shown' });
  server.sessions.stream('AUTH').write(' and new');
  server.sessions.add('LATER').write('later');
  await waitFor(() => written.includes(' and new') && written.includes('later'), { describe: 'what comes is shown' });
});
