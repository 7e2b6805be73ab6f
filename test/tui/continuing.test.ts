import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { DONE } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test('c continues a session whose usage limit has ended', async () => {
  server.sessions.add('AUTH', { ...DONE, limit_over_at: '2026-11-20T15:04:05.123Z' });
  const terminal = await openTerminal(server.world, { cols: 120, rows: 34 });
  await terminal.until(/Continue\? The usage/, 'the question');
  await terminal.until(/c continue/, 'the key');
  await terminal.keys('c');
  await terminal.until(/AUTH continues after its usage limit/, 'that it continues');
  expect(server.sessions.deliveries('AUTH')).toHaveLength(1);
});
