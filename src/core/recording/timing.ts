/** A row of a timing file. `delay` is in seconds since the row before. */
export type TimingEntry =
  /** how many bytes of output */
  | { kind: 'output'; delay: number; bytes: number }
  /** the terminal got another size */
  | { kind: 'resize'; delay: number; cols: number; rows: number }
  /** a row that moves no output, but time: another signal, a header, typed input */
  | { kind: 'other'; delay: number };

/** The size that a header row of the advanced format tells. */
export interface TimingHeaders {
  cols: number | null;
  rows: number | null;
}

export interface Timing {
  entries: TimingEntry[];
  headers: TimingHeaders;
  /** rows that could not be read: a line cut off by a crash, or no timing file at all */
  skipped: number;
}

/**
 * A row that a full disk cut off, with the next one on its line: `O 0.00002O 0.248026 160`. Only the second tells
 * anything.
 */
const TORN_LINE = /^([OSIH] ?[^OSIH]*)([OSIH]) (\d+\.\d+ .*)$/;

/**
 * The whole row of a torn line, as long as the line was: what was cut off becomes zeros before its delay. Other lines
 * stay.
 */
export function joinTorn(line: string): string {
  const [, torn = '', kind = '', rest = ''] = TORN_LINE.exec(line) ?? [];
  return kind === '' ? line : `${kind} ${'0'.repeat(torn.length)}${rest}`;
}

/**
 * Reads one row of `script`'s timing file, of the classic format (`DELAY BYTES`) or the advanced (`O DELAY BYTES`,
 * `S DELAY SIGWINCH ROWS=… COLS=…`, `I …`, `H DELAY NAME VALUE`).
 * @returns null for what is no such row
 */
export function parseTimingLine(line: string): TimingEntry | null {
  return parseRow(line) ?? parseRow(joinTorn(line));
}

function parseRow(line: string): TimingEntry | null {
  const [, kind = 'O', delayText = '', rest = ''] = /^(?:([A-Z]) )?(\d+(?:[.,]\d+)?)(?: (.*))?$/.exec(line) ?? [];
  if (delayText === '') return null;
  // A `,` where the locale has it: script before 2.35 wrote the number by printf.
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

/** Reads a whole timing file; a row that cannot be read is skipped, its bytes then come with the next. */
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
