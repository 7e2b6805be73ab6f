import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { withLostRows, withoutLost } from '../../core/recording/index.ts';
import { readStart } from './recording-files.ts';

export interface LossWatchOptions {
  typescript: string;
  timing: string;
  /**
   * called when output was lost, which means that `script` counted output in the timing file that is missing from the
   * recording
   */
  onLost(): void;
  /**
   * called when the files could not be inspected or the timing file could not be corrected; the next rows trigger
   * another attempt
   */
  onError(error: unknown): void;
}

export interface LossWatch {
  /**
   * reports that rows of the timing file have been read; the last whole row ends at `end`, and the file has been read
   * up to `readTo`
   */
  rows(outputBytes: number, end: number, readTo: number): void;
  /** whether it is known how the two files relate to each other; until then, no loss is reported */
  isWatching(): boolean;
  dispose(): void;
}

/**
 * The minimum time between two comparisons while rows arrive. A comparison requires two `stat` calls, which take 5 µs
 * each, or twenty times that in another thread.
 */
const COMPARE_MS = 250;
/**
 * How many times in a row a difference must be seen before it counts. If `script` is interrupted for longer than {@link
 * COMPARE_MS} between its two writes, the recording contains output that is not in the timing file yet.
 */
const TIMES_SEEN = 3;

/** The result of comparing the two files once. */
interface Comparison {
  /** the length of the recording */
  length: number;
  /** the length minus the counted bytes, which is constant as long as nothing is lost */
  base: number;
}

/** A comparison that counts as right, up to `end` in the timing file. */
interface Agreement extends Comparison {
  end: number;
}

/**
 * Compares the output that `script` counts in its timing file with the output in its recording. `script` writes the
 * output first and then its row, both without delay (`--flush`), so the recording is normally never behind. On a full
 * disk, however, it falls behind permanently, because `script` drops what it cannot write and continues (util-linux
 * 2.38). The rows of the lost output are corrected in place ({@link withoutLost}), so that later output gets the right
 * time.
 */
export function watchLosses(options: LossWatchOptions): LossWatch {
  const { typescript, timing, onLost, onError } = options;
  /** how many bytes of output were counted since the watch began, up to `end` in the timing file */
  let counted = 0;
  let end = 0;
  let readTo = 0;
  /** the point up to which the two files agree, or null while that is unknown */
  let agreed: Agreement | null = null;
  let last: Comparison | null = null;
  const times = { sameBase: 0, sameLength: 0 };
  let hasLost = false;
  let timer: NodeJS.Timeout | null = null;
  let work: Promise<void> = Promise.resolve();
  let isDisposed = false;

  function compareSoon(): void {
    if (timer !== null || isDisposed) return;
    timer = setTimeout(() => {
      timer = null;
      work = work.then(compare).catch(onError);
    }, COMPARE_MS).unref();
  }

  async function compare(): Promise<void> {
    // The order matters: all output that has been counted so far must be in the recording when the recording's length
    // is read.
    const position = end;
    const before = counted;
    const { size: length } = statSync(typescript);
    const { size: timingLength } = statSync(timing);
    // Rows that have not been read yet count output that is already in the recording. While a lot is being written,
    // their number differs at every check. After they have been read, what looks like a loss now could turn out not to
    // be one.
    if (timingLength !== readTo) {
      compareSoon();
      return;
    }
    const now = { length, base: length - before };
    times.sameBase = now.base === last?.base ? times.sameBase + 1 : 1;
    times.sameLength = length === last?.length ? times.sameLength + 1 : 1;
    last = now;
    agreed ??= await agreedAtStart(typescript, now.base);
    if (now.base === agreed?.base) {
      agreed = { ...now, end: position };
      hasLost = false;
      return;
    }
    const isSteady = times.sameBase >= TIMES_SEEN;
    const isSilent = times.sameLength >= TIMES_SEEN && agreed !== null && now.base < agreed.base;
    if (!isSteady && !isSilent) {
      compareSoon();
      return;
    }
    // A recording that is shorter than before was truncated and cannot be compared with its earlier state.
    if (agreed !== null && length >= agreed.length) await correct(agreed, { ...now, end: position });
    agreed = { ...now, end: position };
  }

  async function correct(from: Agreement, to: Agreement): Promise<void> {
    const keptBytes = to.length - from.length;
    if (to.base > from.base) return rewrite(from.end, to.end, (rows) => withLostRows(rows, to.base - from.base));
    // The first rows count output for which there was still room. After output has been lost, only the last rows count
    // output that was written.
    await rewrite(from.end, to.end, (rows) => withoutLost(rows, keptBytes, hasLost ? 'last' : 'first'));
    const isNew = !hasLost;
    hasLost = isNew || keptBytes === 0;
    if (isNew) onLost();
  }

  async function rewrite(from: number, to: number, change: (rows: string) => string): Promise<void> {
    const file = await open(timing, 'r+');
    try {
      const { buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
      await file.write(Buffer.from(change(buffer.toString('latin1')), 'latin1'), 0, buffer.length, from);
    } finally {
      await file.close();
    }
  }

  compareSoon();
  return {
    rows: (outputBytes, position, fileRead) => {
      counted += outputBytes;
      end = position;
      readTo = fileRead;
      compareSoon();
    },
    isWatching: () => agreed !== null,
    dispose: () => {
      isDisposed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/**
 * The files agreed where the output starts. If the rows that were read count all output since then, or more, that is
 * where the comparison begins, so that output lost before the first comparison is noticed. If they count less, only the
 * end of a long timing file was read.
 */
async function agreedAtStart(typescript: string, base: number): Promise<Agreement | null> {
  const { start } = await readStart(typescript);
  return start > 0 && base <= start ? { length: start, base: start, end: 0 } : null;
}
