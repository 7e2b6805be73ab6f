/** A row of a timing file. `delay` is the number of seconds since the previous row. */
export type TimingEntry =
  /** the program wrote this many bytes */
  | { kind: 'output'; delay: number; bytes: number }
  /** the terminal changed to a new size */
  | { kind: 'resize'; delay: number; cols: number; rows: number }
  /** the row only advances time: another signal, a header, or typed input */
  | { kind: 'other'; delay: number };

/** Matches the terminal size in the header rows of the advanced format. */
export interface TimingHeaders {
  cols: number | null;
  rows: number | null;
}

export interface Timing {
  entries: TimingEntry[];
  headers: TimingHeaders;
  /** how many rows could not be read, either because a crash cut them off or because the file is not a timing file */
  skipped: number;
}

/**
 * Matches a row that was cut off because the disk was full, followed by the next row on the same line: `O 0.00002O
 * 0.248026 160`. Only the second row is usable.
 */
const TORN_LINE = /^([OSIH] ?[^OSIH]*)([OSIH]) (\d+\.\d+ .*)$/;

/**
 * Returns the complete row in a line that contains a cut-off row, padded to the original length: zeros before the delay
 * replace the cut-off row. Other lines are returned unchanged.
 */
export function joinTorn(line: string): string {
  const [, torn = '', kind = '', rest = ''] = TORN_LINE.exec(line) ?? [];
  return kind === '' ? line : `${kind} ${'0'.repeat(torn.length)}${rest}`;
}

/**
 * Reads a row of `script`'s timing file, in the classic format (`DELAY BYTES`) or the advanced format (`O DELAY BYTES`,
 * `S DELAY SIGWINCH ROWS=… COLS=…`, `I …`, `H DELAY NAME VALUE`).
 * @returns null if the line is not a valid row
 */
export function parseTimingLine(line: string): TimingEntry | null {
  return parseRow(line) ?? parseRow(joinTorn(line));
}

function parseRow(line: string): TimingEntry | null {
  const [, kind = 'O', delayText = '', rest = ''] = /^(?:([A-Z]) )?(\d+(?:[.,]\d+)?)(?: (.*))?$/.exec(line) ?? [];
  if (delayText === '') return null;
  // The decimal separator may be a `,`, because `script` before 2.35 used printf, which follows the locale.
  const delay = Number(delayText.replace(',', '.'));
  if (kind === 'O') return /^\d+$/.test(rest) ? { kind: 'output', delay, bytes: Number(rest) } : null;
  if (kind === 'S' && rest.startsWith('SIGWINCH')) {
    const rows = /\bROWS=(\d+)/.exec(rest)?.[1];
    const cols = /\bCOLS=(\d+)/.exec(rest)?.[1];
    if (rows !== undefined && cols !== undefined)
      return { kind: 'resize', delay, cols: Number(cols), rows: Number(rows) };
  }
  return { kind: 'other', delay };
}

/** Reads a whole timing file. A row that cannot be read is skipped, and its bytes are counted with the next row. */
export function parseTiming(text: string): Timing {
  const timing: Timing = { entries: [], headers: { cols: null, rows: null }, skipped: 0 };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = parseTimingLine(line);
    if (entry === null) timing.skipped += 1;
    else timing.entries.push(entry);
    const [, name, value] = /^H \S+ (COLUMNS|LINES) (\d+)$/.exec(line) ?? [];
    if (name === 'COLUMNS') timing.headers.cols = Number(value);
    if (name === 'LINES') timing.headers.rows = Number(value);
  }
  return timing;
}
