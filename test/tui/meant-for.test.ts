import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Question } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { askingAll, DONE, someCommand } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

// All tests share one server and one terminal. Each begins with the session AUTH selected and nothing open.
let server: FacesUnderTest;
let terminal: Terminal;
let count = 0;
let old: Partial<Question>;
let newer: Partial<Question>;

beforeAll(async () => {
  server = await startFaces();
  server.sessions.add('AUTH', DONE);
  server.sessions.add('BILL', DONE);
  terminal = await openTerminal(server.world, { cols: 110, rows: 34 });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  server.sessions.answers.length = 0;
  old = someCommand(`old-${++count}`, 'npm test');
  newer = someCommand(`newer-${count}`, 'npm publish');
  server.sessions.change('AUTH', askingAll(old, newer));
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('g');
  await terminal.until(/▌. AUTH[\s\S]*question 1 of 2/, 'the oldest question of AUTH');
});

/** Opens the input for what is shown, and writes into it without sending. */
async function write(text: string): Promise<void> {
  await terminal.keys('s');
  await terminal.until(/Enter send/, 'the input');
  await terminal.keys('C-u');
  await terminal.type(text);
  await terminal.until(new RegExp(`> ${text}`), 'what was typed');
}
const nothingWasSent = (): void => {
  expect(server.sessions.answers).toEqual([]);
  expect([...server.sessions.deliveries('AUTH'), ...server.sessions.deliveries('BILL')]).toEqual([]);
};

test('words that were written for the question that is shown answer that question', async () => {
  await terminal.keys(']');
  await terminal.until(/question 2 of 2/, 'the newer question');
  await write('no publish it by hand');
  await terminal.keys('Enter');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the answer' });
  expect(server.sessions.answers).toEqual([{ text: 'no publish it by hand', question_id: newer.id }]);
});

test('if that question is answered while a person writes, the words answer no other question, and are kept', async () => {
  await terminal.keys(']');
  await terminal.until(/question 2 of 2/, 'the newer question');
  await write('no publish it by hand');
  server.sessions.change('AUTH', askingAll(old));
  await terminal.untilGone(/question 2 of 2/, 'the question that was answered');
  await terminal.keys('Enter');
  await terminal.until(/AUTH now asks something else; your text was not sent/, 'the refusal');
  nothingWasSent();
  await terminal.keys('s');
  await terminal.until(/> no publish it by hand/, 'the text');
  await terminal.keys('Escape');
});

test('words for a question do not become a prompt when the session asks nothing any more', async () => {
  await write('no not now');
  server.sessions.change('AUTH', DONE);
  await terminal.until(/To AUTH/, 'that nothing is asked');
  await terminal.keys('Enter');
  await terminal.until(/The question of AUTH is no longer open; your text was not sent/, 'the refusal');
  nothingWasSent();
});

test('a prompt does not answer a question that is asked while it is written', async () => {
  server.sessions.change('AUTH', DONE);
  await terminal.untilGone(/asks for permission/, 'the questions');
  await write('npm run build');
  const title = await terminal.until(/To (AUTH|BILL) /, 'whom it is for');
  const name = title.includes('To AUTH ') ? 'AUTH' : 'BILL';
  server.sessions.change(name, askingAll(old));
  await terminal.until(new RegExp(`Answer ${name} in your own words`), 'the question');
  await terminal.keys('Enter');
  await terminal.until(new RegExp(`${name} now asks something; your text was not sent`), 'the refusal');
  nothingWasSent();
  server.sessions.change(name, DONE);
});

test('a text follows its session to a new name, and goes to no other session when its session is deleted', async () => {
  await write('no not now');
  await server.sessions.patch('AUTH', { slug: 'LOGIN' });
  await terminal.until(/Answer LOGIN in your own words[\s\S]*> no not now/, 'the new name, with the text');
  await server.sessions.remove('LOGIN');
  await terminal.untilGone(/LOGIN asks/, 'the session');
  await terminal.keys('Enter');
  await terminal.until(/LOGIN no longer exists; your text was not sent/, 'the refusal');
  expect(server.sessions.answers).toEqual([]);
  expect(server.sessions.deliveries('BILL')).toEqual([]);
});
