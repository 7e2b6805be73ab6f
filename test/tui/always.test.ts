import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { asking } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
  ['the list', ''],
  ['the inbox', 'I'],
])('A offers how far a yes may reach, shows the rule, and saves it with the yes: %s', async (_, place) => {
  const { sessions } = server;
  sessions.answers.length = 0;
  sessions.add('AUTH', { ...asking(), path: server.world.projectDir });
  const before = server.rules.added().length;
  const terminal = await openTerminal(server.world, { cols: 110, rows: 34 });
  await terminal.until(/npm test/, 'the question');
  if (place !== '') await terminal.keys(place);
  await terminal.until(/y yes/, 'the keys that answer');
  await terminal.keys('A');
  await terminal.until(/for this session[\s\S]*for this project[\s\S]*\[\[allow\]\][\s\S]*npm test/, 'the choices');
  expect(sessions.answers).toEqual([]);
  expect(server.rules.added()).toHaveLength(before);
  if (place === '') {
    await terminal.keys('Escape');
    await terminal.untilGone(/\[\[allow\]\]/, 'the choices');
    await terminal.keys('A');
    await terminal.until(/\[\[allow\]\]/, 'the choices again');
  }
  await terminal.keys('r');
  await waitFor(() => sessions.answers.length > 0, { describe: 'the yes' });
  expect(sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);
  expect(server.rules.added()).toHaveLength(before + 1);
  for (const { id } of server.rules.added()) server.rules.remove(id);
  await sessions.remove('AUTH');
});
