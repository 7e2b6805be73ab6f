import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { asking, askingAll, someCommand } from '../harness/some-sessions.ts';
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

test('A is about the question that is shown, and about no older one', async () => {
  const { sessions } = server;
  sessions.answers.length = 0;
  const asked = [someCommand('q-old', 'npm test'), someCommand('q-new', 'npm run lint')];
  sessions.add('AUTH', { ...askingAll(...asked), path: server.world.projectDir });
  const terminal = await openTerminal(server.world, { cols: 110, rows: 34 });
  await terminal.until(/question 1 of 2/, 'the older question');
  await terminal.keys(']');
  await terminal.until(/npm run lint[\s\S]*question 2 of 2|question 2 of 2[\s\S]*npm run lint/, 'the newer question');
  await terminal.until(/A always…/, 'the keys that answer');
  await terminal.keys('A');
  await terminal.until(/for this session[\s\S]*npm run lint[\s\S]*\[\[allow\]\][\s\S]*npm run lint/, 'its choices');
  await terminal.keys('s');
  await waitFor(() => sessions.answers.length > 0, { describe: 'the yes' });
  expect(sessions.answers).toEqual([{ choice: 'always', for: 'session', question_id: 'q-new' }]);
  await sessions.remove('AUTH');
});
