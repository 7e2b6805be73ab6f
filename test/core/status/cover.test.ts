import { expect, test } from 'vitest';
import { readScreen, type ScreenFrame } from '../../../src/core/status/index.ts';

const COLS = 100;
const RULE = '─'.repeat(COLS);

/** A window of 2.1.329 as it was seen, its box and what is below it. */
function frame(inBox: string, ...footer: string[]): ScreenFrame {
  const lines = [
    '● Hello! I am ready when you are.',
    '',
    '✻ Brewed for 2s · done 3:32 PM',
    '',
    RULE,
    inBox,
    RULE,
    ...footer,
  ];
  return { lines, cols: COLS, rows: lines.length, cursor: { row: 5, col: 2 }, dimRows: [] };
}

test.each([
  ['the prompt', frame('❯', '  ⏸ manual mode on · ? for shortcuts'), null],
  ['a draft', frame('❯ enter to return', '  ⏸ manual mode on'), null],
  ['the shortcuts', frame('❯', '  ! for shell mode        esc esc to clear input', '  / for commands'), null],
  ['shell mode', frame('!', '  ! for shell mode'), 'shell'],
  ['a search', frame('❯ scene:hello first', '  search prompts: hello  ⏸ manual mode on'), 'search'],
  [
    'the list of agents',
    frame(
      '❯ describe a task for a new session',
      '  enter to return · space to reply · ctrl+x to remove · ? for shortcuts',
    ),
    'agents',
  ],
  ['a task for a new agent', frame('❯ abc', '  enter to create · esc×2 to clear · ctrl+f to find'), 'agents'],
  ['an editor', { ...frame('❯'), lines: ['hello', '~', '~'] }, 'unknown'],
])('%s', (_, shown, cover) => {
  expect(readScreen(shown).cover).toBe(cover);
});
