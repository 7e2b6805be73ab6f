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
  [
    '/mobile, which ends with a code',
    below('/mobile', '  Get the Claude app on your phone', '', '  Esc to close', '', '    █▀▀▀▀▀█ ▄███'),
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

/** The views that 2.1.330 draws above the prompt's box if a person opens them during a turn. */
const OVER_BOX: Record<string, { lines: readonly string[]; name: string }> = {
  '/status': {
    lines: [
      RULE,
      '  Settings  Status   Config   Usage   Stats',
      '',
      '  Version:                    2.1.330',
      '  Session name:               /rename to add a name',
      '',
      '  ←/→ to switch · Esc to close',
    ],
    name: 'Settings',
  },
  '/permissions': {
    lines: [
      RULE,
      '  Permissions  Recently blocked   Allow   Ask   Deny   Workspace',
      '',
      '  ❯ Add a new rule…',
      '    Bash(./check.sh:*)',
      '',
      '  ↓ to navigate · ←/→ to switch · / to search · Esc to close',
    ],
    name: 'Permissions',
  },
  '/model': {
    lines: [
      RULE,
      '  Select model',
      '',
      '  ❯ 1. Default (recommended) ✔  Use the default model (currently Opus 5.5) · $4/$20 per Mtok',
      '    2. Opus                     Opus 5.5 · Best for everyday, complex tasks · $4/$20 per Mtok',
      '',
      '  s to use this session only · Enter to save · Esc to cancel',
    ],
    name: 'Select model',
  },
  '/btw why?': {
    lines: ['  /btw why?', '', '    Sorry that it took so long.', '', '  c to copy · f to fork · Esc to close'],
    name: '/btw why?',
  },
};

/** Returns a window with these lines above an empty prompt's box. */
function overBox(lines: readonly string[], footer = '  ⏸ manual mode on'): ScreenFrame {
  const all = [...lines, '', '', RULE, '❯', RULE, footer];
  return { lines: all, cols: COLS, rows: all.length, cursor: { row: all.length - 3, col: 2 }, dimRows: [] };
}

const RUNNING = ['❯ scene:slow', '', '✢ Boogieing…', ''];
const ENDED = ['❯ scene:slow', '', '● Sorry that it took so long.', '', '✻ Brewed for 5s · done 12:18 AM', ''];

test.each(Object.entries(OVER_BOX))('%s covers the prompt below it, in a turn and after it', (_, { lines, name }) => {
  for (const before of [RUNNING, ENDED]) {
    const shown = overBox([...before, ...lines]);
    const reading = readScreen(shown);
    expect(reading).toMatchObject({ cover: 'view', dialog: null, primary: before === RUNNING ? 'active' : 'idle' });
    expect(viewOn({ frame: shown, reading })).toBe(name);
  }
});

test('a view that is taller than the window covers the prompt, although its title is not visible', () => {
  const shown = overBox(OVER_BOX['/status']?.lines.slice(2) ?? []);
  const reading = readScreen(shown);
  expect([reading.cover, viewOn({ frame: shown, reading })]).toEqual(['view', 'untitled']);
});

const QUOTED = ['  A view ends like this:', '', '  ←/→ to switch · Esc to close'];
test.each([
  ['an answer that ends like a view', overBox([...ENDED.slice(0, 2), '● Look.', '', ...QUOTED])],
  ['the same below an earlier rule', overBox([RULE, '', '● Look.', '', ...QUOTED])],
  ['the same in a prompt', overBox(['❯ Look.', ...QUOTED])],
  ['the same, longer than the window', overBox(QUOTED, '  ⏸ manual mode on · ? for shortcuts')],
  ['the same, while it arrives', overBox(QUOTED, '  ⏸ manual mode on · esc to interrupt')],
  [
    'an answer about /btw',
    overBox(['● Look.', '', '  /btw why?', '', '  Esc to close'], '  ⏸ manual · ? for shortcuts'),
  ],
  ['a status line that ends like a view', frame('❯', '  ←/→ to switch · Esc to close', '  ⏸ manual mode on')],
])('%s does not cover the prompt', (_, shown) => {
  expect(readScreen(shown).cover).toBeNull();
});
