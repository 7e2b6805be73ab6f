import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { addAnswer } from '../harness/memory-rules.ts';
import { asking } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

const EVIL = 'A\u202e\u001b[2JB';
const OTHER = { tool: { name: 'Bash', input: { command: 'git push' } }, text: 'git push' };

let server: FacesUnderTest;
let terminal: Terminal;
let folder: string;
beforeAll(async () => {
  server = await startFaces();
  folder = server.world.projectDir;
  for (let count = 0; count < 23; count++) addAnswer(server.approvals, { folder, session: EVIL, command: 'npm test' });
  terminal = await openTerminal(server.world, { cols: 110, rows: 34 });
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
  ['the list', ''],
  ['the inbox', 'I'],
])('a question shows the earlier answers, and one key gives the same answer: %s', async (_, place) => {
  const { sessions } = server;
  sessions.answers.length = 0;
  sessions.add('AUTH', { ...asking({ id: `q-${place}` }), path: folder });
  await terminal.until(/npm test/, 'the question');
  if (place !== '') await terminal.keys(place);
  const line =
    /You allowed this 23 times here; last on [-\d]+ [:\d]+ in A\\u202e\\u001b\[2JB[\s\S]*\. {2}Yes, as before/;
  await terminal.until(line, 'what was answered');
  expect(sessions.answers).toEqual([]);
  // The footer lists the key only when it counts.
  await terminal.until(/\. as before/, 'the key');
  await terminal.keys('.');
  await waitFor(() => sessions.answers.length > 0, { describe: 'the answer' });
  expect(sessions.answers).toEqual([{ choice: 'yes', question_id: `q-${place}` }]);
  if (place !== '') await terminal.keys('Escape');
  await sessions.remove('AUTH');
  await terminal.untilGone(/AUTH/, 'the session');
});

test('differing answers are shown without a key, and the key of another question counts for none', async () => {
  const { sessions } = server;
  sessions.answers.length = 0;
  addAnswer(server.approvals, { folder, command: 'git push', said: 'no', remark: 'open a pull request' });
  sessions.add('AUTH', { ...asking({ id: 'q-push', ...OTHER }), path: folder });
  await terminal.until(/You refused this once, with “open a pull request”, here/, 'what was answered');
  await terminal.until(/\. {2}No, “open a pull request”, as before[\s\S]*\. as before/, 'the key');
  // Another question takes its place, with no answers, and then one with answers that differ.
  sessions.change('AUTH', asking({ id: 'q-new', tool: { name: 'Bash', input: { command: 'ls' } }, text: 'ls here' }));
  await terminal.until(/ls here[\s\S]*y yes/, 'the other question');
  await terminal.keys('.');
  await terminal.until(/There is no earlier answer to repeat/, 'the refusal');
  addAnswer(server.approvals, { folder, command: 'git push' });
  sessions.change('AUTH', asking({ id: 'q-again', ...OTHER }));
  await terminal.until(/your answers differ/, 'the answers');
  await terminal.keys('.');
  await terminal.until(/There is no earlier answer to repeat/, 'the refusal');
  expect(sessions.answers).toEqual([]);
  await sessions.remove('AUTH');
});
