import { displayWidth } from '../../text/display-width.ts';
import { graphemes } from '../../text/graphemes.ts';
import { withoutReordering } from '../../text/terminal-text.ts';
import type { InputEvent } from '../terminal/keys.ts';

/** The text that the user is writing, and the position of the cursor, which is always between two graphemes. */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY_EDITOR: Editor = { text: '', cursor: 0 };

/** Creates an editor with the cursor at the end. */
export function editorOf(text: string): Editor {
  const clean = cleanInput(text);
  return { text: clean, cursor: clean.length };
}

/**
 * Replaces all line endings with line feeds, and tabs with four spaces, as Claude Code does. It also removes control
 * characters, which would otherwise be removed later.
 */
function cleanInput(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '');
}

export function insert({ text, cursor }: Editor, added: string): Editor {
  const clean = cleanInput(added);
  return { text: text.slice(0, cursor) + clean + text.slice(cursor), cursor: cursor + clean.length };
}

function before({ text, cursor }: Editor): number {
  let last = '';
  for (const grapheme of graphemes(text.slice(0, cursor))) last = grapheme;
  return cursor - last.length;
}

function after({ text, cursor }: Editor): number {
  for (const grapheme of graphemes(text.slice(cursor))) return cursor + grapheme.length;
  return cursor;
}

function wordBefore({ text, cursor }: Editor): number {
  return /\S*\s*$/.exec(text.slice(0, cursor))?.index ?? 0;
}

function wordAfter({ text, cursor }: Editor): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Editor): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

const at = (editor: Editor, cursor: number): Editor => ({ ...editor, cursor });

function remove(editor: Editor, to: number): Editor {
  const [from, end] = to < editor.cursor ? [to, editor.cursor] : [editor.cursor, to];
  return { text: editor.text.slice(0, from) + editor.text.slice(end), cursor: from };
}

/** Returns the position of the same column in the line above or below, or null if there is no such line. */
function vertical(editor: Editor, step: -1 | 1): Editor | null {
  const start = lineStart(editor);
  const column = displayWidth(editor.text.slice(start, editor.cursor));
  if (step === -1 ? start === 0 : lineEnd(editor) === editor.text.length) return null;
  const otherStart = step === -1 ? lineStart(at(editor, start - 1)) : lineEnd(editor) + 1;
  const line = editor.text.slice(otherStart, lineEnd(at(editor, otherStart)));
  let width = 0;
  let cursor = otherStart;
  for (const segment of graphemes(line)) {
    if (width + displayWidth(segment) > column) break;
    width += displayWidth(segment);
    cursor += segment.length;
  }
  return at(editor, cursor);
}

/** The keys that users know from shells (readline) and editors. */
const EDITS: Readonly<Record<string, (editor: Editor) => Editor | null>> = {
  left: (editor) => at(editor, before(editor)),
  right: (editor) => at(editor, after(editor)),
  'ctrl+b': (editor) => at(editor, before(editor)),
  'ctrl+f': (editor) => at(editor, after(editor)),
  'ctrl+left': (editor) => at(editor, wordBefore(editor)),
  'ctrl+right': (editor) => at(editor, wordAfter(editor)),
  'alt+b': (editor) => at(editor, wordBefore(editor)),
  'alt+f': (editor) => at(editor, wordAfter(editor)),
  home: (editor) => at(editor, lineStart(editor)),
  end: (editor) => at(editor, lineEnd(editor)),
  'ctrl+a': (editor) => at(editor, lineStart(editor)),
  'ctrl+e': (editor) => at(editor, lineEnd(editor)),
  up: (editor) => vertical(editor, -1),
  down: (editor) => vertical(editor, 1),
  backspace: (editor) => remove(editor, before(editor)),
  delete: (editor) => remove(editor, after(editor)),
  'ctrl+d': (editor) => remove(editor, after(editor)),
  'ctrl+w': (editor) => remove(editor, wordBefore(editor)),
  'alt+backspace': (editor) => remove(editor, wordBefore(editor)),
  'alt+d': (editor) => remove(editor, wordAfter(editor)),
  'ctrl+u': (editor) => remove(editor, lineStart(editor)),
  'ctrl+k': (editor) => remove(editor, lineEnd(editor)),
};

/** Returns the editor after a key was pressed or text was pasted, or null if the key has no meaning in the editor. */
export function edit(editor: Editor, event: InputEvent): Editor | null {
  if (event.kind === 'paste') return insert(editor, event.text);
  if (event.kind !== 'key') return null;
  if (event.text !== '') return insert(editor, event.text);
  return EDITS[event.name]?.(editor) ?? null;
}

/**
 * Splits the text into rows of a given width, breaking long lines at any character, and returns the rows with the
 * cursor's cell.
 */
export function layoutEditor(
  { text, cursor }: Editor,
  cols: number,
): { rows: string[]; cursor: { row: number; col: number } } {
  const rows: string[] = [''];
  let width = 0;
  let place = { row: 0, col: 0 };
  let next = 0;
  for (const segment of graphemes(text)) {
    const index = next;
    next += segment.length;
    const cells = displayWidth(segment);
    if (segment !== '\n' && width + cells > cols) {
      rows.push('');
      width = 0;
    }
    if (index === cursor) place = { row: rows.length - 1, col: width };
    if (segment === '\n') {
      rows.push('');
      width = 0;
      continue;
    }
    rows[rows.length - 1] += withoutReordering(segment);
    width += cells;
  }
  if (cursor >= text.length) {
    if (width >= cols) {
      rows.push('');
      width = 0;
    }
    place = { row: rows.length - 1, col: width };
  }
  return { rows, cursor: place };
}
