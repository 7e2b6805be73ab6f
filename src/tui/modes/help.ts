import { displayWidth } from '../../text/display-width.ts';
import type { App } from '../app.ts';
import { fitTo, wrap } from '../view/cells.ts';
import { showPage } from './text-page.ts';

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [string, string])[]])[] = [
  [
    'Sessions',
    [
      ['j k ↓ ↑', 'the next, the one before; J K ten at a time, g G the first, the last'],
      ['Tab', 'the next one that needs you'],
      ['f', 'show only some; Esc shows all again'],
      ['n', 'a new session (N while something asks for yes or no)'],
      ['x', 'stop it; one that is stopped: delete it'],
      ['p', 'park it: no process until its next text; wake one that is parked'],
      ['r', 'restart one that is stopped; else refresh'],
      ['e', 'another name'],
      ['u', 'mark it as unread, or as read'],
      ['b', 'headings by need, by repository, by tag, or none'],
      ['h, H', 'fold its group, all but what needs you; unfold all'],
      ['Z', 'snooze it: it needs you no more until a time or an event'],
      ['F', 'finish its worktree: merge it, keep its branch, or discard it'],
      ['Space', 'mark it; then s writes to all that are marked, i r x interrupt, restart and stop them'],
      ['/', 'search what all sessions said and showed'],
    ],
  ],
  [
    'What it asks',
    [
      ['y n a', 'yes, no, always'],
      ['1-9', 'choose an option; where several may be chosen mark them, then Enter'],
      ['s Enter', 'answer in words'],
      ['v', 'read all of it, where it is longer than its space'],
    ],
  ],
  [
    'Writing to it',
    [
      ['s Enter', 'begin; in the input Enter sends'],
      ['Alt+Enter', 'a new line, also Ctrl+J'],
      ['Ctrl+S', 'keep it as a draft; S shows the drafts'],
      ['Alt+S', 'keep it as a draft that is queued: sent as soon as the session is ready'],
      ['Ctrl+Q', 'queue it: CBOS holds it until the session is ready'],
      ['Ctrl+G', 'write it in your own editor ($VISUAL, $EDITOR)'],
      ['↑ ↓', 'what was sent to it before'],
      ['Esc', 'leave; what you wrote stays'],
      ['i', 'interrupt what it does, which pauses its queue'],
      ['c', 'resume its queue'],
    ],
  ],
  [
    'Looking at it',
    [
      ['PgUp PgDn', 'scroll back; ← → where it is wider than its space; Esc goes to the end'],
      ['z', 'the session alone, without the list'],
      ['T', 'a session in a terminal as a conversation, or its terminal again'],
      ['o', 'in a conversation: the tools with all that they said, or folded'],
      ['d', 'what it changed in its repository; ] and [ go to the next file and the one before'],
      ['c v m R', 'there: comment on a line, on several, mark a file as reviewed; the review, which s sends'],
      ['t', 'attach: its real terminal, back with Ctrl-A d'],
      ['R', 'replay its recording'],
    ],
  ],
  [
    'The mouse',
    [
      ['click', 'a session, or an option of what it asks'],
      ['wheel', 'the list, or what is beside it; Shift selects text as always'],
      [':mouse', 'off and on; CBOS_MOUSE=off in the environment: off from the start'],
    ],
  ],
  [
    'The rest',
    [
      ['m', 'how you are told that one needs you or is done: bell, bell and desktop, not at all'],
      ['U', 'start the server when it is gone'],
      ['q', 'quit; server and sessions go on; Ctrl+Z: back to the shell, fg returns'],
    ],
  ],
];

const KEY_CELLS = 12;

export function showHelp(app: App): void {
  const { dress } = app;
  const rows = ([key, does]: readonly [string, string], cols: number): string[] => {
    const isLong = displayWidth(key) > KEY_CELLS;
    const about = wrap(does, Math.max(10, cols - KEY_CELLS - 5)).map((row) => ` ${row}`);
    const named = `   ${dress('bold', isLong ? key : fitTo(key, KEY_CELLS))}`;
    const indent = ' '.repeat(KEY_CELLS + 3);
    const [first = '', ...more] = isLong ? ['', ...about] : about;
    return [`${named}${first}`, ...more.map((row) => `${indent}${row}`)];
  };
  showPage(app, 'Keys', (cols) => [
    ...KEYS.flatMap(([title, keys]) => [dress('cyan', ` ${title}`), ...keys.flatMap((key) => rows(key, cols))]),
    dress('cyan', ' Commands, after : or /'),
    ...app.commands.help.flatMap((help) => rows(help, cols)),
    ...wrap('After : or in the input any other command goes to Claude Code: /model, /compact …', cols - 2).map(
      (row) => ` ${dress('dim', row)}`,
    ),
  ]);
}
