import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { runCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';

let world: ClaudeWorld;
let env: Record<string, string>;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  env = { CBOS_PORT: String(await world.freePort()) };
});
afterEach(() => world.dispose());

/** Matches the row of the selected session in the list. */
const SELECTED = (state: string): RegExp => new RegExp(`▌[^\\n]*${state}`);

async function launchByForm(terminal: Terminal, slug: string, prompt: string): Promise<void> {
  await terminal.keys('n');
  await terminal.until(/A new session/, 'the form');
  await terminal.type(slug);
  await terminal.keys('Tab', 'Tab', 'Tab');
  await terminal.until(/▌ prompt/, 'the field of the prompt');
  await terminal.type(prompt);
  await terminal.keys('Enter');
  await terminal.until(new RegExp(`${slug} was launched`), 'that it is launched');
}

async function send(terminal: Terminal, text: string): Promise<void> {
  await terminal.keys('s');
  await terminal.until(/Enter send/, 'the input');
  await terminal.type(text);
  await terminal.keys('Enter');
}

test('from nothing: starts the server, launches a session, sees it think, gives a permission, answers a question, sends a draft, attaches and comes back, ends it, and leaves while everything keeps running', async () => {
  const terminal = await openTerminal(world, { env });
  await terminal.until(/No sessions yet/, 'that there is no session');
  await terminal.until(/server up/, 'the server that it started');

  await launchByForm(terminal, 'AUTH', 'scene:think about it');
  await terminal.until(/◐ AUTH +thinking/, 'it think');
  await terminal.until(/It is module 7/, 'the answer on its live screen');
  await terminal.until(SELECTED('done'), 'that it waits');

  await send(terminal, 'scene:permission');
  await terminal.until(/Sent to AUTH/, 'that Claude Code took the prompt');
  const asked = await terminal.until(/asks for permission/, 'the permission');
  expect(asked).toContain('touch ../marker.txt');
  await terminal.until(/1 {2}Yes/, 'its options');
  await terminal.until(/y yes {2}n no/, 'the keys that answer it');
  await terminal.keys('y');
  await terminal.until(/AUTH was answered: yes/, 'that it was answered');
  await terminal.until(/The marker file is there/, 'the result');

  await terminal.until(SELECTED('done '), 'that it waits');
  await send(terminal, 'scene:ask');
  await terminal.until(/2 {2}PostgreSQL/, 'the options of the question');
  await terminal.until(/1-\d choose/, 'the keys that answer it');
  await terminal.keys('2');
  await terminal.until(/AUTH was answered: PostgreSQL/, 'that it was answered');
  await terminal.until(/Good, I will use that/, 'the result');

  await terminal.until(SELECTED('done '), 'that it waits');
  await terminal.keys('s');
  await terminal.until(/Ctrl\+S draft/, 'the input');
  await terminal.type('scene:hello later');
  await terminal.keys('C-s');
  await terminal.until(/kept as a draft for AUTH/, 'that it is kept');
  await terminal.keys('S');
  await terminal.until(/Drafts: 1/, 'the drafts');
  await terminal.keys('Enter');
  await terminal.until(/No drafts yet/, 'that it was applied');
  await terminal.keys('Escape');
  await terminal.until(/Hello! I am ready/, 'the answer to it');
  expect(world.promptsReceived().at(-1)).toBe('scene:hello later');

  await terminal.until(SELECTED('done '), 'that it waits');
  await terminal.keys('t');
  await terminal.untilGone(/CBOS/, 'the TUI');
  await terminal.type('hi');
  await terminal.until(/❯\s*hi/, 'the real terminal');
  await terminal.keys('BSpace', 'BSpace', 'C-a', 'd');
  await terminal.until(/back from AUTH/, 'that it is back');

  await terminal.keys('x');
  await terminal.until(/Stop AUTH and everything that it runs\? \(y\/n\)/, 'the question before the end');
  await terminal.keys('n');
  await terminal.untilGone(/everything that it runs/, 'the question');
  await terminal.keys('x');
  await terminal.until(/everything that it runs/, 'the question once more');
  await terminal.keys('y');
  await terminal.until(/⊘ AUTH +stopped/, 'that it is dead');

  await terminal.keys('q');
  expect(await terminal.ended()).toBe(0);
  const { stdout } = await runCbos(world, ['ls', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject([{ slug: 'AUTH', state: 'dead' }]);
}, 120_000);

test('two at once agree; a lost server is reported, and when it is back the picture is current', async () => {
  const one = await openTerminal(world, { env });
  await one.until(/server up/, 'the server');
  const other = await openTerminal(world, { env, cols: 150, rows: 40 });
  await launchByForm(one, 'AUTH', 'scene:permission');
  for (const terminal of [one, other]) await terminal.until(/asks for permission/, 'the permission in both');
  await other.until(/y yes {2}n no/, 'the keys that answer it');
  await other.keys('y');
  for (const terminal of [one, other]) await terminal.until(/The marker file is there/, 'the answer in both');

  await runCbos(world, ['down'], { env });
  for (const terminal of [one, other]) await terminal.until(/server gone/, 'that the server is gone');
  await one.keys('s');
  await one.type('while it is away');
  await one.keys('Enter');
  await one.until(/cbos up/, 'why it was not sent');
  await one.keys('U');
  for (const terminal of [one, other]) await terminal.until(/server up/, 'that the server is back');
  const listed = JSON.parse((await runCbos(world, ['ls', '--json'], { env })).stdout) as Session[];
  expect(listed).toHaveLength(1);
  await one.keys('s');
  await one.until(/> while it is away/, 'the text that was not sent');
  await one.keys('C-u');
  await one.type('scene:hello again');
  await one.keys('Enter');
  for (const terminal of [one, other]) await terminal.until(/Hello! I am ready/, 'what happens now in both');
}, 120_000);
