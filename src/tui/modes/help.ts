import { displayWidth } from '../../text/display-width.ts';
import type { App } from '../app.ts';
import { fitTo, wrap } from '../view/cells.ts';
import { showPage } from './text-page.ts';

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [string, string])[]])[] = [
  [
    'Sessions',
    [
      ['j k ↓ ↑', 'next, previous; J K move by ten, g G to the first and last'],
      ['Tab', 'the next session that needs you'],
      ['I', 'the inbox: one question at a time, identical ones together; u takes back an answer within 3 s'],
      ['f', 'filter the list; Esc shows all sessions again'],
      ['n', 'create a session (N while a yes-or-no question is open)'],
      ['x', 'stop it; delete it if it is stopped'],
      ['p', 'park it, so that it has no process until its next prompt; wake it if it is parked'],
      ['r', 'restart it if it is stopped; otherwise refresh'],
      ['e', 'rename it'],
      ['u', 'mark the session as unread, or as read'],
      ['b', 'group the list by need, by repository, by tag, or not at all'],
      ['h, H', 'fold its group; fold every group; unfold every group'],
      ['Z', 'snooze it: silence it until a time or an event'],
      ['F', 'finish its worktree: merge it, keep its branch, or discard it'],
      ['W', "the set-up of its worktree: read and trust the repository's own file, run the set-up again, or skip it"],
      ['Space', 'mark it; s then writes to all marked sessions, and i, r and x interrupt, restart and stop them'],
      ['/', 'search everything that sessions said and showed'],
    ],
  ],
  [
    'Answering',
    [
      ['y n a', 'yes, no, always'],
      ['.', 'give the same answer as before, if you always answered this question the same way in this project'],
      ['1-9', 'choose an option; if you can choose several, mark them, then press Enter'],
      ['s Enter', 'answer in your own words'],
      ['] [', 'the next and the previous question, if the session asks several'],
      ['v', 'read the whole question, if it does not fit'],
    ],
  ],
  [
    'Writing',
    [
      ['s Enter', 'start writing; Enter sends'],
      ['Alt+Enter', 'start a new line; also Ctrl+J'],
      ['Ctrl+S', 'keep the text as a draft; S shows the drafts'],
      ['Alt+S', 'keep the text as a queued draft, which is sent as soon as the session is ready'],
      ['Ctrl+Q', 'queue the text: CBOS holds it until the session is ready'],
      ['Ctrl+G', 'write the text in your own editor ($VISUAL, $EDITOR)'],
      ['↑ ↓', 'recall earlier prompts'],
      ['Esc', 'leave the input; your text stays'],
      ['i', 'interrupt its turn, which also pauses its queue'],
      ['c', 'resume its queue'],
    ],
  ],
  [
    'Viewing',
    [
      ['PgUp PgDn', 'scroll back; ← → scroll sideways; Esc goes to the end'],
      ['z', 'show only the session, without the list'],
      ['T', 'switch between terminal and conversation'],
      ['o', 'in a conversation: show all tool output, or fold it'],
      ['d', 'show what it changed in its repository; ] and [ go to the next and previous file'],
      ['t', 'in its changes: choose a turn, and show only what that turn changed'],
      [
        'c v m R',
        'in its changes: comment on one or several lines, or mark a file as reviewed; R opens the review, s sends it',
      ],
      ['C', 'compare the marked sessions, or the selected one and the other attempts at its task (NAME-1, NAME-2)'],
      ['t', 'attach to its real terminal; Ctrl-A d returns'],
      ['R', "replay the session's recording; f shows the files as they were at that moment"],
    ],
  ],
  [
    'The mouse',
    [
      ['click', 'select a session, or an option of its question'],
      ['wheel', 'scroll the list, or the pane next to it; with Shift, your terminal selects text as usual'],
      [':mouse', 'turn the mouse off or on; CBOS_MOUSE=off in the environment turns it off from the start'],
    ],
  ],
  [
    'Other keys',
    [
      ['m', 'change how you are notified when a session needs you or is done: bell, bell and desktop, or not at all'],
      ['U', 'start the server if it is not running'],
      ['q', 'quit; the server and the sessions keep running. Ctrl+Z returns to the shell, and fg comes back'],
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
    ...wrap('Any other command after : or in the input goes to Claude Code: /model, /compact …', cols - 2).map(
      (row) => ` ${dress('dim', row)}`,
    ),
  ]);
}
