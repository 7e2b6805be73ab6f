import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { someSession } from '../harness/some-session.ts';
import { addHearingSink } from '../harness/some-sinks.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

// All tests share one server and one terminal. Each test begins with the session AUTH selected and nothing open.
let server: FacesUnderTest;
let terminal: Terminal;
const { status } = someSession('X');

beforeAll(async () => {
  server = await startFaces();
  const editor = join(server.world.dir, 'editor');
  writeFileSync(editor, '#!/bin/sh\nprintf "\\nand in the editor\\n" >>"$1"\n');
  chmodSync(editor, 0o700);
  server.sessions.add('AUTH').write('the screen of AUTH\r\n');
  server.sessions.add('BILL', { path: '/srv/bills' }).write('the screen of BILL\r\n');
  const env = { EDITOR: editor, CBOS_STREAM_STREAM_DIR: server.world.project('elsewhere') };
  terminal = await openTerminal(server.world, { env, cols: 110, rows: 30 });
  // A key for a session does nothing until the sessions are listed.
  await terminal.until(/BILL[\s\S]*q quit/, 'the sessions');
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  // No key may follow an Esc before the effect of the Esc is visible, because a terminal treats both as one key with
  // Alt.
  if (!/q quit/.test(await terminal.screen())) await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('g', 's');
  await terminal.until(/Enter send/, 'the input');
  await terminal.keys('C-u', 'Escape');
  await terminal.until(/q quit/, 'the list');
  await terminal.until(/▌. AUTH/, 'that AUTH is selected');
});

const sentTo = (slug: string): Delivery | undefined => server.sessions.deliveries(slug)[0];
const sent = (text: string): Promise<Delivery> =>
  waitFor(() => server.sessions.deliveries('AUTH').find((one) => one.text === text), {
    describe: `AUTH is sent ${JSON.stringify(text)}`,
    actual: () => sentTo('AUTH'),
  });

async function write(text: string): Promise<void> {
  await terminal.keys('s');
  await terminal.until(/Enter send/, 'the input');
  await terminal.type(text);
  await terminal.until(new RegExp(`> ${text.slice(0, 20)}`), 'what was typed');
}

async function command(text: string): Promise<void> {
  await terminal.keys(':');
  await terminal.until(/Tab complete/, 'the input of a command');
  await terminal.type(text.slice(1));
  await terminal.keys('Enter');
}

async function change(slug: string, some: Partial<Session>): Promise<void> {
  server.sessions.change(slug, some);
}

const asking = (text: string): Partial<Session> => ({
  state: 'waiting',
  status: {
    ...status,
    primary: 'waiting',
    detail: 'permission',
    question: {
      id: text,
      kind: 'permission',
      text,
      tool: { name: 'Bash', input: { command: 'make' } },
      options: [],
      multi: false,
      questions: [],
      asked_at: '2026-11-20T15:04:05.123Z',
    },
  },
});
const resting: Partial<Session> = { state: 'idle', status };

test('a prompt is written in the editor of $EDITOR and comes back into the input', async () => {
  await write('begun here');
  await terminal.keys('C-g');
  await terminal.until(/ {2}and in the editor/, 'what the editor added');
  await terminal.keys('Enter');
  await sent('begun here\nand in the editor');
});

test('a paste of several lines is one prompt, and its line feeds send nothing', async () => {
  await terminal.paste('one\ntwo\n\nfour');
  await terminal.until(/> one\n {2}two\n\s*\n {2}four/, 'the whole text in the input');
  await terminal.keys('Enter');
  await sent('one\ntwo\n\nfour');
});

test('Ctrl+Q queues, Alt+Enter begins a line, and the arrow recalls earlier prompts', async () => {
  await write('first');
  await terminal.keys('M-Enter');
  await terminal.type('second');
  await terminal.keys('C-q');
  expect((await sent('first\nsecond')).status).toBe('queued');
  await terminal.keys('s');
  await terminal.until(/↑ before/, 'that there is a history');
  await terminal.keys('Up');
  await terminal.until(/> first\n {2}second/, 'the text from the history');
  await terminal.keys('C-c');
});

test('Ctrl+S keeps a draft to be sent by hand, Alt+S one that is sent when the session is ready', async () => {
  await write('by hand');
  await terminal.keys('C-s');
  await terminal.until(/kept as a draft for AUTH — S shows/, 'that it is kept');
  await write('by itself');
  await terminal.keys('M-s');
  await terminal.until(/AUTH gets this as soon as it is ready/, 'that it is kept, and when it goes');
  expect(server.sessions.stash().map(({ response, when }) => [response, when])).toEqual([
    ['by hand', 'manual'],
    ['by itself', 'next_waiting'],
  ]);
  await terminal.keys('S');
  const drafts = await terminal.until(/Drafts: 2/, 'the drafts');
  expect(drafts).toMatch(/· queued[^\n]*\n[^\n]*by itself/);
  await terminal.keys('e');
  await terminal.until(/> by hand/, 'the reply, to be changed');
  await terminal.type(' changed');
  await terminal.keys('Enter');
  await sent('by hand changed');
  await terminal.keys('S');
  await terminal.until(/Drafts: 1/, 'the remaining drafts');
  await terminal.keys('d', 'y');
  await terminal.until(/deleted the draft/, 'that it is deleted');
  expect(server.sessions.stash()).toEqual([]);
});

test('the filter narrows the list while it is typed, stays, and is removed with Esc', async () => {
  await terminal.keys('f');
  await terminal.until(/Show only sessions with/, 'the filter');
  await terminal.type('bills');
  await terminal.untilGone(/ AUTH /, 'AUTH');
  await terminal.until(/▌. BILL[\s\S]*the screen of BILL/, 'the one that is left, with its screen');
  await terminal.keys('Enter');
  await terminal.until(/filter: bills/, 'the filter in the header');
  await terminal.keys('Escape');
  await terminal.until(/. AUTH /, 'all sessions');
});

test('/ searches; a command that was typed there before still runs, and is announced first', async () => {
  await terminal.keys('/');
  await terminal.until(/Search all sessions/, 'the search');
  await terminal.type('sta');
  await terminal.keys('Tab');
  await terminal.until(/Enter runs the command \/status/, 'the command that Enter runs');
  await terminal.type('quo');
  await terminal.until(/Search all sessions/, 'the search again, for a command that takes no words');
  await terminal.keys('BSpace', 'BSpace', 'BSpace', 'BSpace', 'Enter');
  await terminal.until(/server 1\.2\.3, up for/, "the server's state");
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
});

test('words after : that are not one of its commands go to Claude Code; ! asks before a shell runs', async () => {
  await command('/model opus');
  await sent('/model opus');
  await write('!touch x');
  await terminal.keys('Enter');
  await terminal.until(/Let AUTH run this in a shell\? \(y\/n\)/, 'the question');
  await terminal.keys('n');
  await terminal.untilGone(/Run this in a shell/, 'the question');
  expect(sentTo('AUTH')?.text).toBe('/model opus');
});

test('/notify shows where else questions are sent, and sends a test there', async () => {
  const name = await addHearingSink(server);
  await command('/notify');
  await terminal.until(new RegExp(`${name}: webhook at 127[\\s\\S]*after 15s[\\s\\S]*0 sent`), 'the sink');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  await command(`/notify test ${name}`);
  await terminal.until(new RegExp(`sent to ${name}`), 'that it is sent');
  server.sinks.remove(name);
});

test('/status, /refresh, /explain and /search show their results, and Esc leads back', async () => {
  await command('/status');
  await terminal.until(/server 1\.2\.3, up for/, "the server's state");
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  await command('/refresh');
  await terminal.until(/refreshed/, 'that it was asked again');
  await change('BILL', { last_question: 'Which ledger?' });
  await command('/search ledger');
  await terminal.until(/1 result: ledger[\s\S]*BILL[\s\S]*Which ledger\?/, 'the hit');
  await terminal.keys('q');
  await terminal.until(/q quit/, 'the list');
  await command('/search');
  await terminal.until(/Enter the words to search for/i, 'what is missing');
});

test('Enter on a search result plays the recording from that moment, and selects its session', async () => {
  await change('BILL', { last_question: 'Which ledger?' });
  await command('/search ledger');
  await terminal.until(/1 result: ledger/, 'the hit');
  await terminal.keys('Enter');
  await terminal.until(/back from the recording of BILL/, 'that it is back');
  await terminal.until(/▌. BILL/, 'that BILL is selected');
});

test('a name that is typed into the filter selects its session, not one whose text contains it', async () => {
  await change('BILL', { ...asking('what about auth?'), last_question: 'auth' });
  await terminal.until(/BILL[\s\S]* AUTH /, 'BILL above AUTH');
  await terminal.keys('f');
  await terminal.until(/Show only sessions with/, 'the filter');
  await terminal.type('bill');
  await terminal.until(/▌. BILL/, 'that BILL is selected');
  await terminal.keys('C-u');
  await terminal.type('auth');
  await terminal.until(/▌. AUTH/, 'that AUTH is selected, below BILL');
  await change('BILL', resting);
  await terminal.keys('Enter');
  await terminal.until(/filter: auth/, 'the filter in the header');
  await terminal.keys('Escape');
  await terminal.untilGone(/filter: auth/, 'the filter');
});

test('typing replaces the proposed folder, and a key that moves in it keeps it', async () => {
  const typing = async (keys: readonly string[], shown: RegExp): Promise<void> => {
    await terminal.keys('n');
    await terminal.until(/A new session/, 'the form');
    await terminal.keys('Tab');
    await terminal.until(/▌ folder +[~/]/, 'the folder that is proposed');
    for (const key of keys) await (key.length === 1 ? terminal.type(key) : terminal.keys(key));
    await terminal.until(shown, `the folder after ${keys.join(' ')}`);
    await terminal.keys('Escape');
    await terminal.until(/q quit/, 'the list');
  };
  await typing(['/', 't', 'm'], /▌ folder +\/tm\s/);
  await typing(['End', '/', 't'], /▌ folder +[~/]\S+\/t\s/);
});

test('an offered folder is chosen with the arrow and accepted with Enter, and the folders in it are offered next', async () => {
  mkdirSync(join(server.world.home, 'picked/inside'), { recursive: true });
  await terminal.keys('n');
  await terminal.until(/A new session/, 'the form');
  await terminal.keys('Tab');
  await terminal.until(/▌ folder/, 'the field');
  await terminal.type('~/pi');
  await terminal.until(/~\/picked\s/, 'the folder that is offered');
  await terminal.keys('Down');
  await terminal.until(/Enter use this folder/, 'that it is chosen');
  await terminal.keys('Enter');
  await terminal.until(/▌ folder +~\/picked\/\s[\s\S]*~\/picked\/inside/, 'the folder in the field, and its contents');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
});

test('/rename gives another name; one that is invalid or taken is refused with the reason', async () => {
  await command('/rename BILL');
  await terminal.until(/already|taken/, 'that it is taken');
  await command('/rename a b');
  await terminal.until(/letters, digits/, 'what a name is');
  await command('/rename AUTH2');
  await terminal.until(/▌. AUTH2/, 'the new name, selected');
  await command('/rename AUTH');
  await terminal.until(/▌. AUTH /, 'the old one again');
});

test('/export writes a file from a recording that is elsewhere than this program would look', async () => {
  const file = join(server.world.dir, 'out.txt');
  await command(`/export text ${file}`);
  await terminal.until(/written to /, 'that it is written');
  expect(readFileSync(file, 'utf8')).toContain('the screen of AUTH');
  await command('/export pdf');
  await terminal.until(/no format pdf/, 'that no such format exists');
});

test('R plays a recording that is elsewhere, and comes back', async () => {
  await terminal.keys('R');
  await terminal.until(/AUTH was played|back from the recording/, 'that it is back');
});

test('/send-all asks, then sends to every session and reports how many get it', async () => {
  await command('/send-all hello all');
  await terminal.until(/Send it to all 2 sessions\? \(y\/n\)/, 'the question');
  await terminal.keys('y');
  await terminal.until(/2 of 2 sessions got it/, 'the result');
  expect(sentTo('BILL')?.text).toBe('hello all');
});

test.each(['screen', 'json'] as const)('n launches a %s session in a folder that Tab completes', async (type) => {
  mkdirSync(join(server.world.home, `code-${type}`), { recursive: true });
  await terminal.keys('n');
  await terminal.until(/A new session/, 'the form');
  await terminal.type(`NEW-${type}`);
  await terminal.keys('Tab');
  await terminal.keys('C-u');
  await terminal.type(`~/code-${type.slice(0, 2)}`);
  // Tab is pressed at once, as a person does who knows the folder. The list of matching folders may not be there yet.
  await terminal.keys('Tab');
  await terminal.until(new RegExp(`folder +~/code-${type}`), 'the folder, completed');
  await terminal.keys('Tab');
  await terminal.until(/▌ type/, 'the field of the type');
  if (type === 'json') await terminal.keys('Space');
  await terminal.until(new RegExp(`▌ type +${type}`), 'the type');
  await terminal.keys('Tab');
  await terminal.type('first prompt');
  await terminal.keys('Enter');
  await terminal.until(new RegExp(`NEW-${type} was launched`), 'that it is launched');
  expect(server.sessions.created.at(-1)).toMatchObject({
    slug: `NEW-${type}`,
    type,
    path: join(server.world.home, `code-${type}`),
    prompt: 'first prompt',
  });
  await server.sessions.remove(`NEW-${type}`);
  await terminal.untilGone(new RegExp(`◌ NEW-${type} `), 'the session');
});

test('i reports if nothing is running; x asks before it stops a session, and deletes a stopped one', async () => {
  await terminal.keys('i');
  await terminal.until(/No turn is running/, 'that nothing runs');
  server.sessions.add('DONE');
  await terminal.keys('f');
  await terminal.type('DONE');
  await terminal.keys('Enter');
  await terminal.until(/▌. DONE/, 'that it is selected');
  await terminal.keys('x');
  await terminal.until(/Stop DONE and everything that it runs\? \(y\/n\)/, 'the question');
  await terminal.keys('y');
  await terminal.until(/DONE stopped/, 'that it is stopped');
  await terminal.keys('x');
  await terminal.until(/Delete DONE\?/, 'the other question');
  await terminal.keys('y');
  await terminal.until(/DONE deleted/, 'that it is gone');
  await terminal.keys('Escape');
  await terminal.until(/. AUTH /, 'all others');
});

const bells = (): number => terminal.written().split('\u0007').length - 1;

test('the bell rings for another session that begins to ask, not for the visible one, and not in quiet mode', async () => {
  const before = bells();
  await change('AUTH', asking('May I look?'));
  await terminal.until(/May I look\?/, 'the question of the one that is looked at');
  await change('AUTH', resting);
  await terminal.untilGone(/May I look\?/, 'the question');
  expect(bells()).toBe(before);
  await change('BILL', asking('May I pay?'));
  await terminal.until(/BILL needs you/, 'the toast');
  expect(bells()).toBe(before + 1);
  await change('BILL', resting);
  await terminal.untilGone(/needs|permission/, 'the question');

  await terminal.keys('m');
  await terminal.until(/the bell rings and the desktop shows a notification/, 'the next kind of alert');
  await change('BILL', asking('May I pay again?'));
  await terminal.until(/May I pay again|make/, 'the toast');
  await waitFor(() => terminal.written().includes('\u001b]9;CBOS: BILL needs you'), {
    describe: 'the desktop is notified',
  });
  expect(bells()).toBe(before + 2);
  await change('BILL', resting);
  await terminal.keys('m');
  await terminal.until(/alerts: quiet/, 'quiet mode in the header');
  await change('BILL', asking('May I pay in silence?'));
  await terminal.until(/permission/, 'that it waits');
  expect(bells()).toBe(before + 2);
  await change('BILL', resting);
  await terminal.keys('m');
  await terminal.untilGone(/alerts: quiet/, 'quiet mode');
});

test('any size from 20×6 to 300×100 is filled, and a small one gets a notice', async () => {
  for (const [cols, rows] of [
    [300, 100],
    [80, 24],
    [60, 20],
    [20, 6],
    [120, 40],
  ] as const) {
    await terminal.resize(cols, rows);
    const isSmall = cols < 80 || rows < 24;
    const screen = await terminal.until(
      isSmall ? new RegExp(`${cols}×${rows}`) : /q quit[\s\S]*\? help/,
      `${cols}×${rows}`,
    );
    if (cols >= 60) expect(screen).toContain('AUTH');
    if (!isSmall) expect(screen).toContain('the screen of AUTH');
    if (!isSmall) expect(screen).not.toMatch(/80×24 at least/);
  }
  await terminal.resize(110, 30);
  expect(existsSync(server.world.home)).toBe(true);
});
