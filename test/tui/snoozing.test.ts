import { afterAll, beforeAll, expect, test } from 'vitest';
import { attentionOf, type Session } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { callRoute } from '../harness/rest.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let server: FacesUnderTest;
let terminal: Terminal;
beforeAll(async () => {
  server = await startFaces();
  server.sessions.add('AUTH', asking()).write('the screen of AUTH\r\n');
  server.sessions.add('BILL', DONE).write('the screen of BILL\r\n');
  server.sessions.add('CODE', DONE).write('the screen of CODE\r\n');
  terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/CODE[\s\S]*q quit/, 'the sessions');
});
afterAll(() => server[Symbol.asyncDispose]());

const read = async (slug: string): Promise<Session> =>
  (await callRoute(server, 'getSession', { params: { slug } })).json() as Session;
const until = (slug: string, describe: string, isSo: (session: Session) => boolean): Promise<boolean> =>
  waitFor(async () => isSo(await read(slug)), { describe, actual: () => read(slug) });

test('a session that is shown for a while is read, and `u` marks it as unread again', async () => {
  await terminal.until(/▌. +AUTH/, 'that AUTH is selected');
  server.sessions.change('BILL', WORKING);
  server.sessions.change('BILL', DONE);
  await terminal.until(/•BILL/, 'that BILL is unread');
  expect((await read('BILL')).unread).toBe(true);
  await terminal.keys('j');
  await terminal.until(/▌.•BILL/, 'that BILL is selected');
  await until('BILL', 'BILL was looked at', ({ unread }) => !unread);
  await terminal.untilGone(/•BILL/, 'the mark of BILL');
  await terminal.keys('u');
  await terminal.until(/BILL is now unread/, 'that it is unread');
  expect(await read('BILL')).toMatchObject({ unread: true, marked_unread: true });
  await terminal.keys('u');
  await terminal.until(/BILL is now read/, 'that it is read');
});

test('`Z` snoozes it: nothing counts it any more, until it asks something new', async () => {
  await terminal.keys('g');
  await terminal.until(/▌. +AUTH/, 'that AUTH is selected');
  await terminal.keys('Z');
  await terminal.until(/Snooze AUTH until…[\s\S]*it asks/, 'the choices');
  await terminal.keys('a');
  const shown = await terminal.until(/Snoozed \(1\)/, 'that it is snoozed');
  expect(shown).toContain('until it asks');
  expect(shown).not.toContain('Needs you');
  expect(attentionOf(await read('AUTH'))).toBe('snoozed');
  await terminal.keys('Tab');
  await terminal.until(/No other session needs you/, 'that there is no session to go to');
  server.sessions.change('AUTH', WORKING);
  server.sessions.change('AUTH', asking({ id: 'q2' }));
  await terminal.until(/Needs you \(1\)/, 'that it is awake');
  expect(await terminal.screen()).not.toContain('Snoozed');
});

test('`:snooze` takes a time, or the session that must end', async () => {
  await terminal.keys('g');
  await terminal.until(/▌. +AUTH/, 'that AUTH is selected');
  const command = async (text: string): Promise<void> => {
    await terminal.keys(':');
    await terminal.until(/Tab complete/, 'the input of a command');
    await terminal.type(text);
    await terminal.keys('Enter');
  };
  await command('snooze someday');
  await terminal.until(/someday is neither a time nor a session/, 'that it is neither');
  await command('snooze CODE');
  await terminal.until(/AUTH is snoozed until CODE ends/, 'that it is snoozed');
  server.sessions.change('CODE', WORKING);
  server.sessions.change('CODE', DONE);
  await terminal.until(/Needs you \(1\)/, 'that it is awake');
});
