import { joinTorn, parseTimingLine } from './timing.ts';

/** Matches an output row, and captures its delay and its count in separate groups. */
const OUTPUT_ROW = /^O (\d+\.\d+) (\d+)$/;

/**
 * Corrects the rows in `script`'s timing file after a full disk has lost some of the output that they count. If all the
 * output of a row was lost, the row becomes a header row, which keeps the row's time but counts no output (`O 0.5 160`:
 * `H 0.5 160`). If only part of the output was lost, the row's count is lowered (`O 0.5 071`). No row changes its
 * length, so the rows can be overwritten in place. Every reader, including `scriptreplay` of util-linux 2.38, then
 * plays each byte at the correct time again.
 * @param rows complete lines
 * @param keptBytes how many bytes of the output that the rows count are in the recording
 * @param which whether these bytes are the output of the first rows or of the last rows
 */
export function withoutLost(rows: string, keptBytes: number, which: 'first' | 'last'): string {
  const lines = rows.split('\n').map(joinTorn);
  let left = keptBytes;
  const correct = (line: string): string => {
    const entry = parseTimingLine(line);
    if (entry?.kind !== 'output') return line;
    const kept = Math.min(left, entry.bytes);
    left -= kept;
    // scriptreplay aborts at an output row that counts 0 bytes.
    if (kept === 0) return line.replace(/^O/, 'H');
    return line.replace(/\d+$/, (digits) => String(kept).padStart(digits.length, '0'));
  };
  if (which === 'first') return lines.map(correct).join('\n');
  return lines.reverse().map(correct).reverse().join('\n');
}

/**
 * Corrects the rows in the opposite case, in which rows were lost but their output was not. A row that a full disk cut
 * off shares its line with the next row. The line becomes a single row, which also counts the output of the lost rows.
 * If no line contains a cut-off row, the rows remain unchanged.
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
