import { open } from 'node:fs/promises';
import { parseTimingLine } from '../../core/recording/index.ts';
import { tailRecording } from './tail-recording.ts';

/** How much of a timing file's end is searched for the last resize; a row of output takes some 20 bytes. */
const LOOK_BACK_BYTES = 1_000_000;
/**
 * Every write of a session adds a row, and hardly any is a resize: while much is written they are read together. One
 * after a silence as long is read at once.
 */
const READ_INTERVAL_MS = 40;

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface TimingFollower {
  /** a resize; the first one told is the last that there was */
  onSize(size: TerminalSize): void;
  /**
   * rows that came, with the bytes of output that they count; `end` is where the last whole one ends in the file, which
   * was read up to `readTo`
   */
  onRows(outputBytes: number, end: number, readTo: number): void;
  /** the file's name means another file, or none; the one that was open at the beginning is read on */
  onNameLost?: () => void;
}

/**
 * Follows `script`'s timing file: its advanced format has a row for every resize, also for one by a person who
 * attaches. Resolves when the last one so far was told.
 * @returns the disposer
 */
export async function followTiming(
  timingFile: string,
  { onSize, onRows, onNameLost }: TimingFollower,
): Promise<() => void> {
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
  const from = await startOfEnd(timingFile);
  const tail = await tailRecording({
    file: timingFile,
    from,
    onBytes: take,
    intervalMs: READ_INTERVAL_MS,
    keepsFile: true,
    ...(onNameLost === undefined ? {} : { onNameLost }),
  });
  isReady = true;
  if (last !== null) onSize(last);
  return () => tail.dispose();
}

/** Never 0 for a file that is there: at 0 a header line of a recording would be looked for. */
async function startOfEnd(file: string): Promise<number> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return 1;
  try {
    return Math.max(1, (await handle.stat()).size - LOOK_BACK_BYTES);
  } finally {
    await handle.close();
  }
}
