import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/text/display-width.ts';
import { type Editor, EMPTY_EDITOR, edit, editorOf, layoutEditor } from '../../src/tui/input/editor.ts';

const KEYS = [
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'backspace',
  'delete',
  'ctrl+w',
  'ctrl+k',
  'ctrl+u',
  'alt+b',
  'alt+f',
  'alt+d',
];
const press = (editor: Editor, ...names: string[]): Editor =>
  names.reduce((now, name) => edit(now, { kind: 'key', name, text: name.length === 1 ? name : '' }) ?? now, editor);
/** Returns the text with the cursor in it. */
const shown = ({ text, cursor }: Editor): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

test.each([
  ['letters, one of them removed', ['a', 'b', 'c', 'backspace'], 'ab|'],
  ['a word back', ['a', ' ', 'b', 'c', 'ctrl+w'], 'a |'],
  ['the middle', ['a', 'c', 'left', 'b'], 'ab|c'],
  ['the end of the line', ['a', 'b', 'home', 'right', 'ctrl+k'], 'a|'],
])('edits: %s', (_, keys, expected) => {
  expect(shown(press(EMPTY_EDITOR, ...keys))).toBe(expected);
});

test('moves over each character as a person sees it', () => {
  const family = editorOf('a👩‍👩‍👧e\u0301');
  expect(shown(press(family, 'left'))).toBe('a👩‍👩‍👧|e\u0301');
  expect(shown(press(family, 'left', 'left'))).toBe('a|👩‍👩‍👧e\u0301');
  expect(shown(press(family, 'left', 'backspace'))).toBe('a|e\u0301');
});

test('keeps the column between lines, counted in cells', () => {
  const editor = editorOf('漢字x\nabcdef');
  expect(shown(press(editor, 'left', 'left', 'up'))).toBe('漢字|x\nabcdef');
  expect(shown(press(editor, 'left', 'left', 'up', 'down'))).toBe('漢字x\nabcd|ef');
  expect(edit(press(editor, 'up'), { kind: 'key', name: 'up', text: '' })).toBeNull();
});

test('inserts a paste whole: all line ends, tabs as Claude Code converts them, no control characters', () => {
  const pasted = edit(EMPTY_EDITOR, { kind: 'paste', text: 'one\r\ntwo\rthree\n\tfour\u001b[31m\u0007' });
  expect(pasted?.text).toBe('one\ntwo\nthree\n    four[31m');
});

test('whatever is typed, the cursor is in the text and no row is wider than allowed', () => {
  const action = fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'grapheme', maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), fc.integer({ min: 2, max: 20 }), (actions, cols) => {
      let editor = EMPTY_EDITOR;
      for (const one of actions) {
        const isKey = KEYS.includes(one);
        editor = edit(editor, isKey ? { kind: 'key', name: one, text: '' } : { kind: 'paste', text: one }) ?? editor;
        expect(editor.cursor).toBeGreaterThanOrEqual(0);
        expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
      }
      const { rows, cursor } = layoutEditor(editor, cols);
      for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(cols);
      expect(cursor.row).toBeLessThan(rows.length);
      expect(cursor.col).toBeLessThanOrEqual(cols);
    }),
  );
});
