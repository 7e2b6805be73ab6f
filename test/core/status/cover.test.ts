import { expect, test } from 'vitest';
import { readScreen, type ScreenFrame, viewOn } from '../../../src/core/status/index.ts';

const COLS = 100;
const RULE = '─'.repeat(COLS);

/** Returns a window without a prompt, in which these lines follow a rule below the command. */
function below(command: string, ...lines: string[]): ScreenFrame {
  return { ...frame(''), lines: ['● Hello! I am ready when you are.', '', `❯ ${command}`, '', RULE, ...lines] };
}

/** Returns a window as 2.1.329 draws it, with its box and the lines below the box. */
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
  [
    '/help',
    below('/help', '  Help  General   Commands', '', '  Shortcuts', '', '  ←/→ to switch · Esc to close'),
    'view',
  ],
  [
    '/status',
    below('/status', '  Settings  Status   Config', '', '  Version:    2.1.329', '', '  ←/→ to switch · Esc to close'),
    'view',
  ],
  [
    '/permissions, where there is something to choose',
    below(
      '/permissions',
      '  Permissions  Allow',
      '',
      '  ❯ Add a new rule…',
      '    Bash(ls)',
      '',
      '  ↓ to navigate · Esc to close',
    ),
    null,
  ],
  [
    '/resume, whose rows are not options',
    below(
      '/resume',
      '  Resume session',
      '',
      '  ❯ scene:hello first',
      '    2 minutes ago · main · 4 messages',
      '',
      '  Ctrl+A to show all projects · Enter to select · Esc to cancel',
    ),
    'view',
  ],
  ['an editor', { ...frame('❯'), lines: ['hello', '~', '~'] }, 'unknown'],
])('%s', (_, shown, cover) => {
  const reading = readScreen(shown);
  expect(reading.cover).toBe(cover);
  // A view asks no question.
  if (cover === 'view') expect(reading.dialog).toBeNull();
});

const trust = [
  '  Do you trust the files in this folder?',
  '',
  '  ❯ 1. Yes, proceed',
  '    2. No, exit',
  '',
  '  Enter to confirm · Esc to cancel',
];
const effort = ['  Effort', '', '  low     medium     high', '', '  ←/→ to adjust · Enter to save · Esc to cancel'];
const rewind = ['  Rewind', '', '  ❯ (current)', '', '  Enter to continue · Esc to cancel'];

/** Returns the window with the conversation's name above the rule of the view. */
const named = (shown: ScreenFrame): ScreenFrame => ({
  ...shown,
  lines: shown.lines.flatMap((line) => (line === RULE ? [`${RULE.slice(8)} login ─`, RULE] : [line])),
});

/** Returns a window in which Claude Code has drawn something on its own, below the output of an earlier command. */
const unasked = (...lines: string[]): ScreenFrame => {
  const shown = below('/cost', ...lines);
  return { ...shown, lines: shown.lines.map((line) => (line === '' ? '  ⎿  Total cost: $0.01' : line)) };
};

test.each([
  ['a view without options, below its command', below('/effort', ...effort), 'Effort'],
  ['the same, in a conversation with a name', named(below('/effort', ...effort)), 'Effort'],
  ['the same lines, which no command opened', unasked(...effort), null],
  ['a dialog below its command', below('/login', ...trust), 'Do you trust the files in this folder?'],
  ['a dialog that Claude Code opens on its own', unasked(...trust), null],
  ['the list of earlier prompts, which keys open', unasked(...rewind), 'Rewind'],
  [
    'a list of conversations with a row that begins like a command',
    below('/resume', '  Resume session', '', '❯ /cost of the tests', '  2 minutes ago · main', '', '  Esc to cancel'),
    'Resume session',
  ],
  [
    'the answer to /btw, which has no rule',
    {
      ...below(''),
      lines: [
        '● Hello',
        '',
        '❯ /btw why?',
        '',
        '  /btw why?',
        '',
        '    Because.',
        '',
        '  c to copy · f to fork · Esc to close',
      ],
    },
    '/btw why?',
  ],
])('Esc closes it if a person has opened it: %s', (_, drawn, name) => {
  // The cursor is at the marker, where Claude Code leaves it.
  const row = drawn.lines.findIndex((line) => line.startsWith('  ❯'));
  const shown = row < 0 ? drawn : { ...drawn, cursor: { row, col: 2 } };
  expect(viewOn({ frame: shown, reading: readScreen(shown) })).toBe(name);
});
