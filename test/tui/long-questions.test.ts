import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Question } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { asking } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
});
afterEach(() => server[Symbol.asyncDispose]());

const ask = (some: Partial<Question>): void => void server.sessions.add('AUTH', asking(some));

test.each([
  ['lines', `${'echo "all is well"\n'.repeat(5_000)}touch evil`],
  ['one line', `echo ${'x'.repeat(100_000)}; touch evil`],
])('a question that does not fit can be allowed once its end was in the picture: %s', async (_name, command) => {
  ask({ tool: { name: 'Bash', input: { command } } });
  const terminal = await openTerminal(server.world, { cols: 100, rows: 30 });
  await terminal.until(/v read all of it/, 'the key that shows all of it');
  await terminal.keys('y', 'a', '1');
  await terminal.until(/Read the question to the end first/, 'why nothing is answered');
  await terminal.keys('v');
  await terminal.until(/AUTH asks.*more lines/, 'its beginning');
  await terminal.keys('y', 'Escape');
  await terminal.until(/v read all of it/, 'the key that shows all of it');
  await terminal.keys('y', 'v');
  await terminal.until(/AUTH asks.*more lines/, 'its beginning');
  await terminal.keys('G');
  await terminal.until(/touch evil/, 'its end');
  expect(server.sessions.answers).toEqual([]);
  await terminal.keys('Escape');
  await terminal.until(/y yes/, 'the keys that answer');
  await terminal.keys('y');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the yes counts' });
  expect(server.sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);
});

test('a no counts before everything was read', async () => {
  ask({ tool: { name: 'Bash', input: { command: 'echo\n'.repeat(100) } } });
  const terminal = await openTerminal(server.world, { cols: 100, rows: 30 });
  await terminal.until(/n no/, 'the key that says no');
  await terminal.keys('n');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the no counts' });
  expect(server.sessions.answers).toEqual([{ choice: 'no', question_id: 'q1' }]);
});

test('a cut is announced, and a cut call cannot be allowed', async () => {
  ask({ cut: true });
  const terminal = await openTerminal(server.world, { cols: 100, rows: 30 });
  await terminal.until(/longer than .* here[\s\S]*n no/, 'that it is cut off, and the key that says no');
  await terminal.keys('y', 'a', '1', 'n');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the no counts' });
  expect(server.sessions.answers).toEqual([{ choice: 'no', question_id: 'q1' }]);
});

test('the reason for which Claude Code asks is shown', async () => {
  ask({ reason: 'This touches production' });
  const terminal = await openTerminal(server.world, { cols: 100, rows: 30 });
  await terminal.until(/Reason: This touches production/, 'the reason');
});

test('the whole input of a tool is shown, with control characters written out', async () => {
  ask({ tool: { name: 'mcp__ssh__run', input: { command: 'echo \u001b]0; rm -rf ~', host: 'production.example' } } });
  const terminal = await openTerminal(server.world, { cols: 100, rows: 30 });
  await terminal.until(/echo \\u001b\]0; rm -rf ~[\s\S]*production\.example/, 'the whole input');
});
