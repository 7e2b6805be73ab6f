import { joinTorn, parseTimingLine } from './timing.ts';

/** An output row with its delay apart from its count. */
const OUTPUT_ROW = /^O (\d+\.\d+) (\d+)$/;

/**
 * Corrects rows of `script`'s timing after some of the output that they count was lost on a full disk. A row whose
 * output was lost becomes a header row, which only takes its time (`O 0.5 160`: `H 0.5 160`); of one that was lost in
 * part the count is lowered (`O 0.5 071`). Nothing moves, so the rows can be written over where they stand, and every
 * reader, `scriptreplay` of util-linux 2.38 too, finds each byte at its time again.
 * @param rows whole lines
 * @param keptBytes how much of the output that they count is in the recording
 * @param which whether that is the output of the first rows or of the last
 */
export function withoutLost(rows: string, keptBytes: number, which: 'first' | 'last'): string {
  const lines = rows.split('\n').map(joinTorn);
  let left = keptBytes;
  const correct = (line: string): string => {
    const entry = parseTimingLine(line);
    if (entry?.kind !== 'output') return line;
    const kept = Math.min(left, entry.bytes);
    left -= kept;
    // An output row of no bytes makes scriptreplay abort.
    if (kept === 0) return line.replace(/^O/, 'H');
    return line.replace(/\d+$/, (digits) => String(kept).padStart(digits.length, '0'));
  };
  if (which === 'first') return lines.map(correct).join('\n');
  return lines.reverse().map(correct).reverse().join('\n');
}

/**
 * The other way round: rows were lost, their output was not. The row that a full disk cut off, and the next one on its
 * line, becomes one row that counts their output as well. Without such a line the rows stay as they are.
 */
export function withLostRows(rows: string, extraBytes: number): string {
  let isFound = false;
  const correct = (line: string): string => {
    const whole = joinTorn(line);
    const [, delay = '', count = ''] = OUTPUT_ROW.exec(whole) ?? [];
    if (isFound || whole === line || count === '') return whole;
    isFound = true;
    const shortDelay = delay.replace(/^0+(?=\d)/, '');
    const room = line.length - `O ${shortDelay} `.length;
    const all = String(Number(count) + extraBytes).padStart(room, '0');
    return all.length > room ? whole : `O ${shortDelay} ${all}`;
  };
  return rows.split('\n').map(correct).join('\n');
}
