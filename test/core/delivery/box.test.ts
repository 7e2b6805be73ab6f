import { describe, expect, test } from 'vitest';
import {
  boxHolds,
  boxHoldsReturned,
  draftFillingWindow,
  isEmptyBox,
  isPlaceholderFor,
  textsInBox,
} from '../../../src/core/delivery/box.ts';
import { readScreen } from '../../../src/core/status/index.ts';

const LONG = Array.from({ length: 60 }, (_, line) => `line ${line} of a long text`).join('\n');

describe('the box of the prompt', () => {
  test.each([
    ['the text', 'run the tests', 'run the tests', 'text'],
    ['the text, wrapped and indented', 'run the\n  tests', 'run the tests', 'text'],
    ['the text, a word broken at the edge', 'run the te\nsts', 'run the tests', 'text'],
    ['tabs as spaces', 'a    b', 'a\tb', 'text'],
    ['a shell command, whose sign is the mark', 'ls -l', '!ls -l', 'text'],
    ['half an emoji and a sign put together', 'go 👩‍👩‍ and é', 'go 👩‍👩‍👧‍👦 and e\u0301', 'text'],
    ['the end of a long text', LONG.slice(-400), LONG, 'text'],
    ['a placeholder for a paste', '[Pasted text #1 +59 lines]', LONG, 'text'],
    ['a short end, which may belong to another text', 'tests', 'run the tests', 'other'],
    ['the beginning of a text that is still being read', 'run the', 'run the tests', 'other'],
    ['nothing yet', '', 'run the tests', 'other'],
    ['an extra letter at the end', 'run the testsx', 'run the tests', 'more'],
    ['an extra letter at the beginning', 'xrun the tests', 'run the tests', 'more'],
    ['an extra letter after the end of a long text', `${LONG.slice(-400)}x`, LONG, 'more'],
    ['a draft next to a placeholder', 'mine [Pasted text #1 +59 lines]', LONG, 'other'],
    ['a picture instead of its path', 'look at [Image #1]', 'look at /tmp/a.png', 'other'],
    ['another text', 'something else', 'run the tests', 'other'],
  ])('with %s', (_, draft, text, holds) => {
    expect(boxHolds(draft, text)).toBe(holds);
  });

  test('with several texts, one below the other, holds them in this order and nothing else', () => {
    const texts = ['first one', 'second one', 'third one'];
    expect(textsInBox('first one\nsecond one', texts)).toEqual([0, 1]);
    expect(textsInBox('second one\n\n  first one', texts)).toEqual([1, 0]);
    expect(textsInBox('third\n  one', texts)).toEqual([2]);
    expect(textsInBox('first one\nsecond one and more', texts)).toBeNull();
    expect(textsInBox('first one\nfirst one', texts)).toBeNull();
    expect(textsInBox('go\ngo on', ['go', 'go on'])).toEqual([0, 1]);
    expect(textsInBox('go on\ngo', ['go', 'go on'])).toEqual([1, 0]);
    expect(textsInBox('', texts)).toBeNull();
  });
});

test('texts that came back fill the box only once all of them are known', () => {
  const queued = ['first of them', 'second of them'];
  const both = queued.join('\n');
  expect(boxHoldsReturned(both, queued, queued)).toBe('text');
  expect(boxHoldsReturned(both, queued.slice(0, 1), queued)).toBe('other');
  expect(boxHoldsReturned(`${both} and more`, queued, queued)).toBe('more');
});

const COLS = 100;
const RULE = '─'.repeat(COLS);
const TRANSCRIPT = `  Showing detailed transcript · ctrl+o to toggle${' '.repeat(40)}verbose`;

test.each([
  ['as many lines', '[Pasted text #3 +59 lines]', LONG, true],
  ['one line', '[Pasted text #1]', 'one line', true],
  ['other lines', '[Pasted text #3 +58 lines]', LONG, false],
  ['something next to it', 'see [Pasted text #3 +59 lines]', LONG, false],
])('a placeholder represents one text with as many lines, alone: %s', (_, draft, text, stands) => {
  expect(isPlaceholderFor(draft, text)).toBe(stands);
});

test.each([
  ['the prompt', ['● Hello!', '', RULE, '❯', RULE, '  ⏸ manual mode on'], true],
  ['the prompt of a turn that runs', ['✻ Baking… (2s)', '', RULE, '❯', RULE, '  esc to interrupt'], true],
  ['a draft', ['● Hello!', '', RULE, '❯ half a thought', RULE, '  ⏸ manual mode on'], false],
  ['shell mode', ['● Hello!', '', RULE, '!', RULE, '  ! for shell mode'], false],
  ['a transcript above the prompt', ['❯ hello', '', '● Hello!', '', RULE, TRANSCRIPT], false],
  ['a transcript above a turn, which reads as active', ['❯ hello', '', RULE, TRANSCRIPT], false],
  ['an editor', ['hello', '~', '~'], false],
])('only a prompt that is visibly empty is an empty box: %s', (_, lines, isEmpty) => {
  const frame = { lines, cols: COLS, rows: lines.length, cursor: { row: 3, col: lines[3]?.length ?? 0 }, dimRows: [] };
  expect(isEmptyBox(readScreen(frame))).toBe(isEmpty);
});

describe('a prompt that fills the window', () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line} of a long text`);
  const frame = (lines: readonly string[]) => ({ lines, cols: 60, rows: 16, cursor: { row: 0, col: 0 } }) as never;
  const box = text.slice(-13).map((line) => `  ${line}`);
  const below = ['─'.repeat(60), '  ⏸ manual mode on', ''];

  test('shows the end of its text, without the mark', () => {
    const draft = draftFillingWindow(frame([...box, ...below]));
    expect(boxHolds(draft ?? '', text.join('\n'))).toBe('text');
    expect(
      boxHolds(draftFillingWindow(frame([...box.slice(0, -1), '  mine', ...below])) ?? '', text.join('\n')),
    ).not.toBe('text');
  });

  test.each([
    ['in its window', '─'.repeat(60)],
    ['with the footer above its rule, as it is drawn after a change of size', `──⏸ manual mode on${'─'.repeat(41)}`],
  ])('shows in its upper rule how much is hidden: %s', (_, rule) => {
    const lines = ['● Hello!', '', `${'─'.repeat(3)} ↑ 17 more ${'─'.repeat(46)}`, ...box, rule];
    expect(boxHolds(draftFillingWindow(frame(lines)) ?? '', text.join('\n'))).toBe('text');
  });

  test.each([
    ['an answer that begins in the window', ['● An answer', ...box.slice(1), ...below]],
    ['a prompt with its mark', [...box.slice(0, -1), '❯ run the tests', ...below]],
    ['a window that is not full', ['', ...box.slice(1), ...below]],
    ['text without a rule below it', [...box, '  more', '  and more', '']],
    ['a rule that is far above', [...box.slice(0, 3), ...below, ...box.slice(0, 10)]],
  ])('is not %s', (_, lines) => {
    expect(draftFillingWindow(frame(lines))).toBeNull();
  });
});
