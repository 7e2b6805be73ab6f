import { describe, expect, test } from 'vitest';
import type { AnswerPlan } from '../../../src/core/answer/answer.ts';
import { type AnswerStep, answerSteps, type Press, steps } from '../../../src/core/answer/answer-keys.ts';
import { type DialogView, showsDialog, standsInField } from '../../../src/core/answer/dialog-view.ts';
import { readScreen } from '../../../src/core/status/index.ts';
import type { Question } from '../../../src/protocol/index.ts';

const COLS = 100;
const RULE = '─'.repeat(COLS);

/**
 * Builds a window as the program draws it. `▮` marks the cursor. Without it, the cursor is at column 0 of the last row.
 */
function view(text: string): DialogView {
  const drawn = text.replaceAll('RULE', RULE).split('\n');
  const row = drawn.findIndex((line) => line.includes('▮'));
  const cursor = row < 0 ? { row: drawn.length, col: 0 } : { row, col: (drawn[row] ?? '').indexOf('▮') };
  const frame = { lines: drawn.map((line) => line.replace('▮', '')), cursor, cols: COLS, rows: 30, dimRows: [] };
  return { frame, dialog: readScreen(frame).dialog };
}

/** Returns the question that a window shows. The question belongs to a tool if hooks report one. */
function questionOf(shown: DialogView, more: Partial<Question> = {}): Question {
  const { dialog } = shown;
  const [part] = dialog?.parts ?? [];
  if (dialog === null || part === undefined) throw new Error('the window shows no dialog');
  return {
    id: 'q1',
    kind: dialog.kind,
    text: part.text,
    tool: null,
    options: part.options,
    multi: part.multi,
    questions: [part],
    asked_at: '2026-11-21T10:00:00.000Z',
    ...more,
  };
}

// Windows of 2.1.329, shortened above the dialog.
const permission = (chosen: 1 | 2 | 3, third = 'No', hint = 'Esc to cancel · Tab to amend') => {
  const mark = (option: number): string => (option === chosen ? '❯' : ' ');
  return view(`RULE
 Bash command
 touch ../marker.txt
 Do you want to proceed?
 ${mark(1)} 1. Yes
 ${mark(2)} 2. Yes, and always allow access to /tmp from this project
 ${mark(3)} 3. ${third}

 ${hint}`);
};
const TRUST = view(`RULE
 Accessing workspace:

 Is this a project you created or one you trust?

 ❯ No, exit
   Yes, I trust this folder

 Enter to confirm · Esc to cancel`);
const LANGUAGE = view(`RULE
←  ☐ Language  ☐ Platforms  ✔ Submit  →

Which language?

❯ 1. TypeScript
     As the server
  2. Go
     One binary
  3. Type something.
RULE
  4. Chat about this

Enter to select · Tab/Arrow keys to navigate · Esc to cancel`);
const platforms = (boxes: readonly [string, string], field = 'Type something', chosen = 1) =>
  view(`RULE
←  ☒ Language  ☐ Platforms  ✔ Submit  →

Which platforms?

${chosen === 1 ? '❯' : ' '} 1. [${boxes[0]}] Linux
         Servers
  2. [${boxes[1]}] macOS
         Laptops
${chosen === 3 ? '❯' : ' '} 3. [ ] ${field}
     Submit
RULE
  4. Chat about this

Enter to select · Tab/Arrow keys to navigate · Esc to cancel`);
const SUMMARY = view(`RULE
←  ☒ Language  ☒ Platforms  ✔ Submit  →

Review your answers

 ● Which language?
   → Go
 ● Which platforms?
   → Linux, BSD

❯ 1. Submit answers
  2. Cancel`);
const PREVIEWS = view(`RULE
 ☐ Layout

Which layout?

❯ 1. Wide                         ┌──────┐
  2. Tall                         │ +--+ │
                                  └──────┘
                                  Notes: press n to add notes
RULE
  Chat about this

Enter to select · ↑/↓ to navigate · n to add notes · Esc to cancel`);

/** The number of rows from the number of a two-line field to the next number. */
const FIELD_ROWS = 4;
const DOWN = '\x1b[B';
const UP = '\x1b[A';

type Planned = Extract<AnswerPlan, { kind: 'select' }>;
const select = (options: readonly number[], more: { text?: string; remark?: string } = {}): Planned => ({
  kind: 'select',
  parts: [{ options, text: more.text ?? null }],
  remark: more.remark ?? null,
});
const TICKED = platforms(['✔', '✔']);
/** Returns the kinds of the steps; for a tick, also whether its box is ticked. */
const kinds = (taken: readonly AnswerStep[]): string[] =>
  taken.map((step) => (step.kind === 'tick' ? `tick ${step.isTaken(TICKED, TICKED)}` : step.kind));

describe('the steps of an answer', () => {
  const several = questionOf(LANGUAGE, {
    tool: { name: 'AskUserQuestion', input: {} },
    questions: [LANGUAGE, platforms([' ', ' '])].flatMap(({ dialog }) => dialog?.parts ?? []),
  });
  test.each<[string, DialogView, Planned | { kind: 'dismiss' }, string[]]>([
    ['a numbered option needs only its digit', permission(1), select([2]), ['digit']],
    ['an option without a number is marked, then taken', TRUST, select([1]), ['mark', 'enter']],
    ['previews are marked, then taken', PREVIEWS, select([1]), ['clearField', 'mark', 'enter']],
    ['a remark', permission(1), select([2], { remark: 'not now' }), ['mark', 'amend', 'write', 'enter']],
    ['a custom text', LANGUAGE, select([], { text: 'Rust' }), ['clearField', 'mark', 'write', 'enter']],
    ['boxes', platforms(['✔', ' ']), select([1]), ['clearField', 'tick false', 'tick true', 'nextPart', 'submit']],
    [
      'boxes and a text',
      platforms([' ', ' ']),
      select([0], { text: 'BSD' }),
      ['clearField', 'tick true', 'tick false', 'mark', 'write', 'mark', 'nextPart', 'submit'],
    ],
    ['leaving a question with boxes', platforms([' ', ' ']), select([3]), ['clearField', 'digit']],
    ['a dismissal', permission(1), { kind: 'dismiss' }, ['escape']],
  ])('%s', (_, shown, plan, expected) => {
    expect(kinds(answerSteps(questionOf(shown), plan, shown))).toEqual(expected);
  });

  test('several questions are answered one after the other and submitted', () => {
    const plan: Planned = {
      kind: 'select',
      parts: [
        { options: [1], text: null },
        { options: [0], text: null },
      ],
      remark: null,
    };
    expect(kinds(answerSteps(several, plan, LANGUAGE))).toEqual([
      'clearField',
      'showPart',
      'clearField',
      'digit',
      'showPart',
      'clearField',
      'tick true',
      'tick false',
      'nextPart',
      'submit',
    ]);
  });
});

const no = { index: 2, label: 'No' };
const PARTS = ['Which language?', 'Which platforms?'];

describe('the keys of a step', () => {
  test.each<[string, AnswerStep, DialogView, Press | null]>([
    ['a digit', steps.digit(no), permission(1), { keys: '3' }],
    ['no digit where the option has another label', steps.digit({ index: 2, label: 'Maybe' }), permission(1), null],
    ['a marker that moves down', steps.mark(no), permission(1), { keys: DOWN + DOWN }],
    ['a marker that moves up', steps.mark({ index: 0, label: 'Yes' }), permission(3), { keys: UP + UP }],
    ['a marker that moves to the text field', steps.mark('free_text'), LANGUAGE, { keys: DOWN + DOWN }],
    ['no marker where there is no text field', steps.mark('free_text'), permission(1), null],
    [
      'a text of two lines is removed from the field, and the marker leaves it',
      steps.clearField(),
      platforms([' ', ' '], 'came late,\n         and long', 1),
      { keys: DOWN + DOWN + '\x15'.repeat(2 * FIELD_ROWS) + '\x0b'.repeat(2 * FIELD_ROWS) + UP },
    ],
    ['the marker leaves an empty field', steps.clearField(), platforms([' ', ' '], 'Type something', 3), { keys: UP }],
    ['a remark', steps.amend(), permission(3), { keys: '\t' }],
    ['no remark where the dialog accepts none', steps.amend(), permission(2, 'No', 'Esc to cancel'), null],
    ['a box', steps.tick({ index: 1, label: 'macOS' }, true), platforms([' ', ' ']), { keys: '2' }],
    ['no box where there is none', steps.tick({ index: 1, label: 'Go' }, true), LANGUAGE, null],
    ['the second question from the first', steps.showPart(PARTS, 1), LANGUAGE, { keys: '\x1b[C' }],
    ['the first question from the summary', steps.showPart(PARTS, 0), SUMMARY, { keys: '\x1b[D\x1b[D' }],
    ["no key for leaving another tool's dialog", steps.showPart(PARTS, 0), permission(1), null],
    ['the submission', steps.submit(['BSD']), SUMMARY, { keys: '1' }],
    ['no submission of another answer', steps.submit(['Plan 9']), SUMMARY, null],
    ['no submission where there is none', steps.submit([]), LANGUAGE, null],
    ['Enter after a text that is in the field', steps.enter('not now'), permission(3, 'No, not now▮'), { keys: '\r' }],
    ['no Enter after a text that is not', steps.enter('not now'), permission(3, 'No, not▮'), null],
  ])('%s', (_, step, shown, press) => {
    expect(step.press(shown)).toEqual(press);
  });
});

describe('a step is taken', () => {
  test.each<[string, AnswerStep, DialogView, DialogView, boolean]>([
    ['when the marker is on it', steps.mark(no), permission(1), permission(3), true],
    ['not before the marker is on it', steps.mark(no), permission(1), permission(2), false],
    [
      'when the remark has its field',
      steps.amend(),
      permission(3),
      permission(3, 'No, and tell▮', 'Esc to cancel'),
      true,
    ],
    ['not before the remark has its field', steps.amend(), permission(3), permission(3), false],
    ['when the box is ticked', steps.tick({ index: 0, label: 'Linux' }, true), LANGUAGE, platforms(['✔', ' ']), true],
    [
      'not while the box is not ticked',
      steps.tick({ index: 0, label: 'Linux' }, true),
      LANGUAGE,
      platforms([' ', '✔']),
      false,
    ],
    ['when the next question is there', steps.digit(no), LANGUAGE, platforms([' ', ' ']), true],
    ['not while the same question is there', steps.digit(no), LANGUAGE, LANGUAGE, false],
    ['when the text is in the field', steps.write('BSD'), LANGUAGE, platforms(['✔', ' '], 'BSD▮', 3), true],
    ['not when the text is elsewhere', steps.write('Linux'), LANGUAGE, platforms(['✔', ' '], 'BSD▮', 3), false],
    [
      'when the field is empty and the marker has left it',
      steps.clearField(),
      LANGUAGE,
      platforms([' ', ' '], 'Type something', 1),
      true,
    ],
    ['not while the field contains text', steps.clearField(), LANGUAGE, platforms([' ', ' '], 'came late', 1), false],
    [
      'not while the marker is on the field',
      steps.clearField(),
      LANGUAGE,
      platforms([' ', ' '], 'Type something', 3),
      false,
    ],
  ])('%s', (_, step, before, now, taken) => {
    expect(step.isTaken(now, before)).toBe(taken);
  });
});

describe('a text is in the field', () => {
  const wrapped = permission(3, `No, first line\n          1. second ${'数'.repeat(3)}▮`);
  test.each<[string, DialogView, string, boolean]>([
    ['over several lines', wrapped, 'first line\n1. second 数数数', true],
    ['when its beginning has scrolled away', wrapped, `${'word '.repeat(100)}\nfirst line\n1. second 数数数`, false],
    ['of 2.0.77, which leaves the cursor below', permission(3, 'no thanks', 'Esc to cancel'), 'no thanks', true],
    ['of 2.0.77, but not in another option', permission(3, 'no thanks', 'Esc to cancel'), 'Yes', false],
    ['never when it is empty', wrapped, ' \n', false],
  ])('%s', (_, shown, text, stands) => {
    expect(standsInField(shown.frame, text)).toBe(stands);
  });
});

describe('the dialog is still the same', () => {
  const asked = questionOf(LANGUAGE, {
    tool: { name: 'AskUserQuestion', input: {} },
    questions: [LANGUAGE, platforms([' ', ' '])].flatMap(({ dialog }) => dialog?.parts ?? []),
  });
  test.each<[string, Question, DialogView, DialogView, boolean]>([
    ['wherever the marker is', questionOf(permission(1)), permission(1), permission(3), true],
    ['not when another command is the subject', questionOf(permission(1)), permission(1), TRUST, false],
    ['on each of its questions', asked, LANGUAGE, platforms(['✔', ' ']), true],
    ['on its summary', asked, LANGUAGE, SUMMARY, true],
    ['not when a permission has replaced it', asked, LANGUAGE, permission(1), false],
    [
      'not when the prompt is back',
      questionOf(permission(1)),
      permission(1),
      view('RULE\n❯ \nRULE\n  ? for shortcuts'),
      false,
    ],
  ])('%s', (_, question, opened, now, shown) => {
    expect(showsDialog(question, opened, now)).toBe(shown);
  });
});

describe('the key of an option in a dialog without a list', () => {
  const AUTO_MODE = (second: string): DialogView =>
    view(`RULE
  Auto mode can't check actions in this session

  Enter to stay in auto mode · shift+Tab to ${second} · Esc to cancel`);
  const step = steps.key({ index: 1, label: 'leave for accept edits mode and stop' });
  const seen = (shown: DialogView) => [step.press(shown), step.isShown?.(shown)];

  test('is pressed while the dialog offers the option', () => {
    expect(seen(AUTO_MODE('leave for accept edits mode and stop'))).toEqual([{ keys: '\x1b[Z' }, true]);
  });

  test('is not pressed in a low window, nor once the dialog shows another option there, and the two are told apart', () => {
    expect(seen(AUTO_MODE('leave for accept edits mode and stop (needs a taller window)'))).toEqual([null, true]);
    expect(seen(AUTO_MODE('leave for plan mode and stop'))).toEqual([null, false]);
  });
});
