import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';

/** A turn that lasts until the test ends it, so that even a slow machine has time to type. */
const chooseHeld: ChooseScene = (prompt) =>
  prompt.includes('scene:held')
    ? {
        name: 'held',
        about: 'a check that runs while a file exists',
        replies: [
          { kind: 'answer', blocks: [{ kind: 'tool', name: 'Bash', input: { command: './check.sh' } }] },
          { kind: 'answer', blocks: [{ kind: 'text', text: 'The check has ended.' }] },
        ],
      }
    : null;

// All tests share one server and one terminal with a JSON session. Each test continues where the previous one ended.
let world: ClaudeWorld;
let cbos: Cbos;
let terminal: Terminal;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', choosers: [chooseHeld] });
  cbos = await startCbos(world);
  await cbos.call('POST', '/sessions', { slug: 'TALK', type: 'json', path: world.projectDir });
  terminal = await openTerminal(world, { cols: 110, rows: 36 });
  await terminal.until(/▌. TALK/, 'the session');
});
afterAll(() => world.dispose());

const isOver = (): Promise<string> => terminal.until(/▌. TALK +done {2}/, 'that the turn is over');

async function send(text: string): Promise<void> {
  await terminal.keys('s');
  await terminal.until(/Enter send/, 'the input');
  await terminal.type(text);
  await terminal.keys('Enter');
}

test('a conversation is shown with its tools folded, and with all their output after o', async () => {
  await send('scene:read it');
  const folded = await terminal.until(/It is a small example project/, 'the answer');
  expect(folded).toMatch(/❯ scene:read it/);
  expect(folded).toMatch(/⏵ Read: .*README\.md\n +⎿ [^\n]*… \d+ lines/);
  await isOver();
  await terminal.keys('o');
  const unfolded = await terminal.untilGone(/… \d+ lines/, 'the folded result');
  expect(unfolded).toMatch(/o fold/);
  expect(unfolded.split('\n').length).toBeGreaterThan(0);
  await terminal.keys('o');
  await terminal.until(/… \d+ lines/, 'the folded result again');
});

test('its permission is given with y', async () => {
  await send('scene:permission');
  const asked = await terminal.until(/asks for permission/, 'the permission');
  expect(asked).toContain('touch ../marker.txt');
  await terminal.until(/y yes {2}n no/, 'the keys that answer it');
  await terminal.keys('y');
  await terminal.until(/The marker file is there/, 'the result');
  await isOver();
});

test('its question is answered with 2', async () => {
  await send('scene:ask');
  await terminal.until(/2 {2}PostgreSQL — A server, for many writers/, 'the options');
  await terminal.until(/1-\d choose/, 'the keys that answer it');
  await terminal.keys('2');
  await terminal.until(/TALK was answered: PostgreSQL/, 'that it was answered');
  await terminal.until(/Good, I will use that/, 'the result');
  await isOver();
});

test('a reply that was kept until the session waits is sent automatically after the running turn', async () => {
  const hold = join(world.dir, 'hold');
  writeFileSync(hold, '');
  writeFileSync(join(world.projectDir, 'check.sh'), `#!/bin/sh\nwhile [ -e '${hold}' ]; do sleep 0.1; done\n`);
  await send('scene:held first');
  await terminal.until(/i interrupt/, 'that it works');
  await terminal.keys('s');
  await terminal.until(/Enter send/, 'the input');
  await terminal.type('scene:hello after that');
  await terminal.keys('M-s');
  await terminal.until(/TALK gets this as soon as it is ready/, 'that it is kept');
  rmSync(hold);
  const screen = await terminal.until(/❯ scene:hello after that[\s\S]*Hello! I am ready/, 'the answer to it');
  expect(screen).toMatch(/The check has ended[\s\S]*scene:hello after that/);
  expect(world.promptsReceived().slice(-2)).toEqual(['scene:held first', 'scene:hello after that']);
  await isOver();
});

test('t gives it a terminal with the same conversation, and takes it back', async () => {
  await terminal.keys('t');
  await terminal.untilGone(/CBOS/, 'the terminal UI');
  await terminal.until(/Hello! I am ready[\s\S]*❯/, 'the conversation in a real terminal');
  await terminal.keys('C-a', 'd');
  await terminal.until(/back from TALK/, 'that it is back');
  await cbos.until('TALK', ({ type }) => type === 'json', 'is a JSON session again');
  await send('scene:hello once more');
  await terminal.until(/❯ scene:hello once more[\s\S]*Hello! I am ready/, 'the next turn in the conversation');
});
