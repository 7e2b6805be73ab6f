import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { someSession } from '../harness/some-session.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

// All tests share one server with 35 sessions and one terminal. Each test begins with the working session LAST selected
// and nothing open.
let server: FacesUnderTest;
let terminal: Terminal;
/** the keys that a person has pressed since the count began, without the letters of a name or a text */
let pressed = 0;

const at = (minute: number): string => `2026-11-20T15:${String(minute).padStart(2, '0')}:00.000Z`;
const since = (some: Partial<Session>, minute: number): Partial<Session> => ({
  ...some,
  status: { ...someSession('X').status, ...some.status, since: at(minute) },
});

beforeAll(async () => {
  server = await startFaces();
  for (let number = 1; number <= 30; number++) {
    server.sessions.addWithoutRecording(`S-${number}`, since(number % 2 === 0 ? DONE : WORKING, number));
  }
  server.sessions.addWithoutRecording('LAST', since(WORKING, 59));
  for (const [slug, minute] of [
    ['LONG', 2],
    ['LATER', 8],
    ['SOON', 20],
  ] as const) {
    server.sessions.addWithoutRecording(slug, since(asking({ id: slug }), minute));
  }
  server.sessions.addWithoutRecording('GONE', since({}, 1));
  await server.sessions.kill('GONE');
  terminal = await openTerminal(server.world, { cols: 120, rows: 40 });
  await terminal.until(/LONG[\s\S]*\? help/, 'the sessions');
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  await select('LAST');
  pressed = 0;
});

const press = async (...keys: string[]): Promise<void> => {
  pressed += keys.length;
  await terminal.keys(...keys);
};
async function select(slug: string): Promise<void> {
  await terminal.keys('f');
  await terminal.until(/Show only sessions with/, 'the filter');
  await terminal.type(slug);
  await terminal.until(new RegExp(`▌.[ ✓•]${slug} `), `that ${slug} is found`);
  await terminal.keys('Enter');
  await terminal.until(/filter: /, 'that it is filtered');
  await terminal.keys('Escape');
  await terminal.untilGone(/filter: /, 'the filter');
  await terminal.until(new RegExp(`▌.[ ✓•]${slug} `), `that ${slug} is selected`);
}

test('two keys lead from anywhere to the question that has waited longest, and answer it', async () => {
  await press('Tab');
  await terminal.until(/▌.[ •]LONG/, 'that LONG is selected');
  await press('y');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'it is answered' });
  expect(server.sessions.answers).toEqual([{ choice: 'yes', question_id: 'LONG' }]);
  expect(pressed).toBe(2);
});

test('a rename, a restart, a stop, and opening a search take at most three keys', async () => {
  await press('e');
  await terminal.until(/Another name for LAST/, 'the old name');
  await terminal.type('NEWER');
  await terminal.until(/name: NEWER/, 'the new one in its place');
  await press('Enter');
  await terminal.until(/▌. NEWER/, 'the new name, selected');
  expect(pressed).toBe(2);

  pressed = 0;
  await press('x');
  await terminal.until(/Stop NEWER and everything/, 'the question');
  await press('y');
  await terminal.until(/NEWER stopped/, 'that it is stopped');
  expect(pressed).toBe(2);

  pressed = 0;
  await press('r');
  await terminal.until(/NEWER restarted/, 'that it is restarted');
  expect(pressed).toBe(1);

  pressed = 0;
  server.sessions.change('S-7', { last_question: 'Which ledger?' });
  await press('/');
  await terminal.until(/Search all sessions/, 'the search');
  await terminal.type('ledger');
  await press('Enter');
  await terminal.until(/1 result: ledger/, 'the result');
  await press('Enter');
  await terminal.until(/▌. S-7/, 'its session');
  expect(pressed).toBe(3);
  await server.sessions.patch('NEWER', { slug: 'LAST' });
  server.sessions.change('LAST', WORKING);
  await terminal.until(/LAST/, 'its old name');
});

/** Sends a mouse button or the wheel, as a terminal reports it. */
const mouse = (button: number, { row, col }: { row: number; col: number }): Promise<void> =>
  terminal.type(`\u001b[<${button};${col + 1};${row + 1}M`);
/** Returns the position of a text, from 0. */
async function placeOf(text: RegExp): Promise<{ row: number; col: number }> {
  const rows = (await terminal.screen()).split('\n');
  const row = rows.findIndex((line) => text.test(line));
  if (row === -1) throw new Error(`${text} is not shown`);
  return { row, col: (rows[row]?.search(text) ?? 0) + 1 };
}

test('a click selects a session and answers with an option, the wheel scrolls the list, and all of it can be switched off', async () => {
  await terminal.keys('g');
  await terminal.until(/▌.[ •]LONG/, 'the first');
  await mouse(0, await placeOf(/[ •]SOON /));
  await terminal.until(/▌.[ •]SOON/, 'that SOON is selected');
  await terminal.until(/1 {2}Yes/, 'its options');
  const before = server.sessions.answers.length;
  // The second click of a double click answers nothing. The first click has selected the session.
  await mouse(0, await placeOf(/1 {2}Yes\b/));
  await terminal.until(/has just appeared/, 'that it was too soon');
  expect(server.sessions.answers).toHaveLength(before);
  await waitFor(
    async () => {
      await mouse(0, await placeOf(/3 {2}No\b/));
      return server.sessions.answers.length > before;
    },
    { describe: 'a later click answers' },
  );
  expect(server.sessions.answers.at(-1)).toEqual({ choice: 3, question_id: 'SOON' });
  await mouse(65, { row: 5, col: 3 });
  await terminal.untilGone(/▌.[ •]SOON/, 'SOON, selected');
  expect((await terminal.tmux('display-message', '-p', '#{mouse_any_flag}')).trim()).toBe('1');
  await terminal.keys(':');
  await terminal.until(/Tab complete/, 'the input of a command');
  await terminal.type('mouse');
  await terminal.keys('Enter');
  await terminal.until(/the mouse is off/, 'that it is off');
  expect((await terminal.tmux('display-message', '-p', '#{mouse_any_flag}')).trim()).toBe('0');
});

test('marked sessions are stopped after a confirmation that names them, with a line for each, and keys for one session answer none', async () => {
  await select('S-28');
  await terminal.keys('Space');
  await select('S-30');
  await terminal.keys('Space');
  await terminal.until(/s write to 2/, 'that two are marked');
  await terminal.keys('g', 'y');
  await terminal.until(/Some sessions are marked/, 'that it answers nothing');
  const before = server.sessions.answers.length;
  await terminal.keys('x');
  await terminal.until(/Stop these 2 sessions\?[\s\S]*S-28, S-30/, 'the question with both names');
  await terminal.keys('y');
  await terminal.until(/S-28: stopped[\s\S]*S-30: stopped/, 'the result of each');
  await terminal.keys('Escape');
  await terminal.until(/\? help/, 'the list');
  expect(server.sessions.answers).toHaveLength(before);
  expect(['S-26', 'S-28', 'S-30'].map((slug) => server.sessions.get(slug).state)).toEqual(['waiting', 'dead', 'dead']);
});

test('the list shows the position in it, and a session in a terminal is read as a conversation', async () => {
  const bar = async (): Promise<number> =>
    (await terminal.screen()).split('\n').findIndex((line) => line.includes('┃'));
  await terminal.keys('g');
  await waitFor(async () => (await bar()) === 1, { describe: 'the bar is at the top', actual: bar });
  await terminal.keys('G');
  await waitFor(async () => (await bar()) > 8, { describe: 'the bar is further down', actual: bar });
  server.sessions.write(
    'LAST',
    { type: 'user', message: { role: 'user', content: 'what is new?' } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'all of it' }] } },
  );
  await select('LAST');
  await terminal.keys('T');
  await terminal.until(/❯ what is new\?[\s\S]*● all of it/, 'its conversation');
  server.sessions.write('LAST', { type: 'assistant', message: { content: [{ type: 'text', text: 'and more' }] } });
  await terminal.until(/● and more/, 'the newer messages');
  await terminal.keys('T');
  await terminal.untilGone(/● all of it/, 'the conversation');
});
