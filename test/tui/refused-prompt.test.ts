import { afterAll, beforeAll, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { REFUSED } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test('the list shows why a hook refused the prompt of a session', async () => {
  server.sessions.add('REFUSED', REFUSED);
  const terminal = await openTerminal(server.world, { cols: 140, rows: 30 });
  await terminal.until(
    /REFUSED.*One of your own hooks refused the prompt: No secrets, please\./,
    'the words of the hook',
  );
});
