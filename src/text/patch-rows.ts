import { showHiddenMarks } from './hidden-marks.ts';

/**
 * A row of a patch: a file's name, git's metadata about the file, a hunk header, a line of the file, or a note about a
 * line.
 */
export interface PatchRow {
  kind: 'file' | 'said' | 'hunk' | 'context' | 'added' | 'removed' | 'note';
  /** the text of the row as in the patch, but without a line's sign */
  text: string;
  /** the line's number in the base, or null if the base does not contain the line */
  old: number | null;
  /** the line's number in the current file, or null if the current file does not contain the line */
  now: number | null;
}

/**
 * The maximum length of a line that is shown in full. Nobody reads the end of a longer line, and browsers take long to
 * draw a million characters.
 */
export const LONGEST_LINE = 2_000;

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Parses a patch in git's unified format. The number of lines in each hunk is taken from its header, so a line of a
 * file is recognized as such even if it looks like part of the format.
 */
export function patchRows(patch: string): PatchRow[] {
  const rows: PatchRow[] = [];
  let old = 0;
  let now = 0;
  let oldEnd = 0;
  let nowEnd = 0;
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const sign = line.charAt(0);
    if (old < oldEnd || now < nowEnd) {
      const text = line.slice(1);
      if (sign === '+') rows.push({ kind: 'added', text, old: null, now: now++ });
      else if (sign === '-') rows.push({ kind: 'removed', text, old: old++, now: null });
      else if (sign === '\\') rows.push(plain('note', line));
      else rows.push({ kind: 'context', text, old: old++, now: now++ });
      continue;
    }
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      const [, from = '0', count = '1', nowFrom = '0', nowCount = '1'] = hunk;
      [old, oldEnd] = [Number(from), Number(from) + Number(count)];
      [now, nowEnd] = [Number(nowFrom), Number(nowFrom) + Number(nowCount)];
      rows.push(plain('hunk', line));
    } else if (line.startsWith('diff --git ')) {
      rows.push(plain('file', line));
    } else if (sign === '\\') {
      rows.push(plain('note', line));
    } else {
      rows.push(plain('said', line));
    }
  }
  return rows;
}

function plain(kind: PatchRow['kind'], text: string): PatchRow {
  return { kind, text, old: null, now: null };
}

/**
 * Returns the name in a row such as `+++ b/main.ts`, and the version of the file that has this name; null for any other
 * row. git appends a tab to a name that contains a space, and quotes a name with other special characters.
 */
export function namedFile({ kind, text }: PatchRow): { side: 'old' | 'now'; name: string } | null {
  if (kind !== 'said' || !/^(?:---|\+\+\+) /.test(text)) return null;
  const name = text
    .slice('--- '.length)
    .replace(/\t$/, '')
    .replace(/^"(.*)"$/, '$1');
  return { side: text.startsWith('-') ? 'old' : 'now', name };
}

const SIGNS: Readonly<Partial<Record<PatchRow['kind'], string>>> = { context: ' ', added: '+', removed: '-' };

/** Returns the sign of a line (`+`, `-` or a space), or an empty string if the row is not a line of the file. */
export function rowSign({ kind }: PatchRow): string {
  return SIGNS[kind] ?? '';
}

/**
 * Returns a row with invisible characters shown as escapes. A carriage return at the end of an unchanged line is
 * omitted, because all lines of such a file end with one.
 */
export function shownRow({ kind, text }: PatchRow): string {
  return showHiddenMarks(kind === 'context' ? text.replace(/\r$/, '') : text);
}

/** Returns a row for a terminal: its sign and its text, with tabs converted to spaces. */
export function rowText(row: PatchRow): string {
  return `${rowSign(row)}${shownRow(row).replaceAll('\t', '    ')}`;
}
