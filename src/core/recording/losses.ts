import { joinTorn, parseTimingLine } from './timing.ts';

/** An output row, with its delay and its count in separate groups. */
const OUTPUT_ROW = /^O (\d+\.\d+) (\d+)$/;

/**
 * Corrects rows of `script`'s timing after some of the output that they count was lost on a full disk. A row whose
 * output was lost becomes a header row, which only takes time (`O 0.5 160`: `H 0.5 160`). If a part of its output was
 * lost, its count is lowered (`O 0.5 071`). No row changes its length, so the rows can be overwritten in place. Every
 * reader, including `scriptreplay` of util-linux 2.38, then finds each byte at its time again.
 * @param rows whole lines
 * @param keptBytes how many bytes of the output that the rows count are in the recording
 * @param which whether these bytes are the output of the first rows or of the last
 */
export function withoutLost(rows: string, keptBytes: number, which: 'first' | 'last'): string {
  const lines = rows.split('\n').map(joinTorn);
  let left = keptBytes;
  const correct = (line: string): string => {
    const entry = parseTimingLine(line);
    if (entry?.kind !== 'output') return line;
    const kept = Math.min(left, entry.bytes);
    left -= kept;
    // An output row of 0 bytes makes scriptreplay abort.
    if (kept === 0) return line.replace(/^O/, 'H');
    return line.replace(/\d+$/, (digits) => String(kept).padStart(digits.length, '0'));
  };
  if (which === 'first') return lines.map(correct).join('\n');
  return lines.reverse().map(correct).reverse().join('\n');
}

/**
 * The opposite case: rows were lost, but their output was not. The row that a full disk cut off and the next row on the
 * same line become one row. This row also counts the output of the lost rows. Without such a line, the rows stay
 * unchanged.
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
