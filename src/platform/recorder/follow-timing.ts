import { statSync } from 'node:fs';
import { parseTimingLine } from '../../core/recording/index.ts';
import { tailRecording } from './tail-recording.ts';

/** How much of the end of a timing file is searched for the last resize. A row for output takes about 20 bytes. */
const LOOK_BACK_BYTES = 1_000_000;
/**
 * How often to read rows while a session is writing a lot of output. Every write adds a row, and hardly any row is a
 * resize, so several rows are read together. The first row after a pause of this length is read immediately.
 */
const READ_INTERVAL_MS = 40;

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface TimingFollower {
  /** called for each resize; the first one reported is the last one before the call */
  onSize(size: TerminalSize): void;
  /**
   * called for new rows, with the number of output bytes that they count; the last whole row ends at `end` in the file,
   * which has been read up to `readTo`
   */
  onRows(outputBytes: number, end: number, readTo: number): void;
  /** called when the file's name now refers to another file or to none; the file that was opened is still being read */
  onNameLost?: () => void;
}

export interface TimingTail {
  /** Reports the rows that have been written by now before it returns, however long ago the last read was. */
  readNow(): void;
  /** ends the watch */
  dispose(): void;
}

/**
 * Follows `script`'s timing file, whose advanced format has a row for every resize, including those caused by a user
 * who attaches. `script` writes that row before the output that follows the resize (2.38). Resolves once the last
 * existing resize has been reported.
 */
export async function followTiming(
  timingFile: string,
  { onSize, onRows, onNameLost }: TimingFollower,
): Promise<TimingTail> {
  let rest = '';
  let last: TerminalSize | null = null;
  let isReady = false;
  const take = (bytes: Buffer, offset: number): void => {
    const rows = `${rest}${bytes.toString('latin1')}`.split('\n');
    rest = rows.pop() ?? '';
    let outputBytes = 0;
    for (const row of rows) {
      const entry = parseTimingLine(row);
      if (entry?.kind === 'output') outputBytes += entry.bytes;
      if (entry?.kind !== 'resize') continue;
      last = { cols: entry.cols, rows: entry.rows };
      if (isReady) onSize(last);
    }
    const readTo = offset + bytes.length;
    onRows(outputBytes, readTo - rest.length, readTo);
  };
  const from = startOfEnd(timingFile);
  const tail = await tailRecording({
    file: timingFile,
    from,
    onBytes: take,
    intervalMs: () => READ_INTERVAL_MS,
    keepsFile: true,
    ...(onNameLost === undefined ? {} : { onNameLost }),
  });
  isReady = true;
  if (last !== null) onSize(last);
  return { readNow: () => tail.readNow(), dispose: () => tail.dispose() };
}

/**
 * For an existing file, this function never returns 0, because at 0 the reader would look for a recording's header
 * line.
 */
function startOfEnd(file: string): number {
  return Math.max(1, (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - LOOK_BACK_BYTES);
}
