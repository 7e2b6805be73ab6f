import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROGRAM } from '../harness/cbos.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
  server.sessions.add('AUTH').write('\u001b[32mthe screen of AUTH\r\n');
});
afterEach(() => server[Symbol.asyncDispose]());

const SHOWN = /▌◌ AUTH[\s\S]*the screen of AUTH/;

/** Opens a person's shell with job control, and runs `cbos` in it. */
async function openShell() {
  const program = ['bash', '--norc', '--noprofile', '-i'];
  const shell = await openTerminal(server.world, { program, env: { PS1: 'shell> ' } });
  await shell.until(/shell>/, 'the shell');
  await shell.type(`${process.execPath} ${PROGRAM}`);
  await shell.keys('Enter');
  await shell.until(SHOWN, 'the terminal UI');
  return shell;
}

/** Returns the processes of the TUI. The server is this process. */
const running = (): number[] =>
  server.world.processes().flatMap(({ pid, command }) => (command.includes(` ${PROGRAM}`) ? [pid] : []));

test('Ctrl+Z gives the terminal to the shell, and fg brings back a current picture', async () => {
  const shell = await openShell();
  await shell.keys('C-z');
  const stopped = await shell.until(/Stopped/, 'that it is stopped');
  expect(stopped).not.toContain('the screen of AUTH');
  await shell.type('echo $((6 * 7))');
  await shell.keys('Enter');
  await shell.until(/^42$/m, 'that the shell works');
  server.sessions.add('LATE');
  await shell.type('fg');
  await shell.keys('Enter');
  await shell.until(/▌◌ AUTH[\s\S]*◌ LATE[\s\S]*the screen of AUTH/, 'the terminal UI, with the changes of that time');
  await shell.keys('q');
  await shell.until(/fg\n[\s\S]*shell>\s*$/, 'the shell');
});

test('killed by force it leaves a terminal in which the next command works', async () => {
  const shell = await openShell();
  for (const pid of running()) process.kill(pid, 'SIGKILL');
  await shell.until(/Killed/, 'that it was killed');
  await shell.type(`${process.execPath} ${PROGRAM}`);
  await shell.keys('Enter');
  await shell.until(SHOWN, 'the terminal UI again');
  await shell.keys('q');
  await shell.until(/Killed/, 'the shell as it was');
});

test('it ends with its terminal', async () => {
  const terminal = await openTerminal(server.world);
  await terminal.until(SHOWN, 'the terminal UI');
  expect(running()).not.toEqual([]);
  await terminal.tmux('kill-server');
  await waitFor(() => running().length === 0, { describe: 'it has ended', actual: running });
});

test.each(['dumb', ''])('a terminal that calls itself %j gets the list, and no picture', async (name) => {
  const terminal = await openTerminal(server.world, { env: { TERM: name } });
  const said = await terminal.until(/cbos down stops it/, 'the end of its output');
  expect(said).toMatch(/AUTH +new/);
  expect(terminal.written()).not.toMatch(name === 'dumb' ? /\u001b/ : /\u001b\[[?\d;]*[^\d;m]/);
});

test('NO_COLOR: no colour of the UI or of a session, and all text is still there', async () => {
  const terminal = await openTerminal(server.world, { env: { NO_COLOR: '1' } });
  await terminal.until(SHOWN, 'the terminal UI');
  await terminal.keys('?');
  await terminal.until(/next, previous; J K move by ten/, 'the help');
  expect(terminal.written()).not.toMatch(/\u001b\[[\d;]*\b(?:3[0-8]|4[0-8]|9\d|10\d)\b[\d;]*m/);
});

test('a locale without UTF-8 changes nothing, because the terminal usually has it', async () => {
  const terminal = await openTerminal(server.world, { env: { LANG: 'C', LC_ALL: 'C' } });
  await terminal.until(SHOWN, 'the terminal UI');
});
