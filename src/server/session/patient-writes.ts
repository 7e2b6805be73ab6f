import { homeFault } from '../../platform/sqlite/home-fault.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** How long to wait before retrying a failed write. */
const RETRY_MS = 3_000;
/**
 * How many writes may wait at most; beyond that, the oldest are dropped. Fifty sessions cause a few thousand writes an
 * hour.
 */
const MOST_WAITING = 10_000;

/**
 * Writes to the home's database. If the home is not writable, because its disk is full or has become read-only, facts
 * that CBOS has only observed and that nobody is waiting for are kept in memory. They are written, in order, as soon as
 * possible.
 */
export interface PatientWrites {
  /** Writes now or later. Does not fail if the home is not writable. */
  write(work: () => void): void;
  /**
   * Writes immediately, after everything that is already waiting. Use this for requests, and before anything
   * irreversible is done.
   * @throws the database's error if the write fails, in which case nothing has changed
   */
  demand<T>(work: () => T): T;
  dispose(): void;
}

export function createPatientWrites(clock: Clock, log: Logger): PatientWrites {
  const waiting: (() => void)[] = [];
  let stopTimer: Dispose | null = null;

  /** @returns false while the home is not writable */
  function tryTo(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (cause) {
      if (homeFault(cause) === null) throw cause;
      if (waiting.length === 0)
        log.error(
          { err: cause },
          'the home directory cannot be written to, so CBOS keeps changes of sessions in memory',
        );
      return false;
    }
  }
  function writeWaiting(): void {
    const before = waiting.length;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        next();
      } catch (cause) {
        if (homeFault(cause) !== null) throw cause;
        log.error({ err: cause }, 'a change that was kept in memory cannot be written and is lost');
      }
      waiting.shift();
    }
    if (before > 0)
      log.info(
        { written: before },
        'the home directory can be written to again, and CBOS has written all changes from memory',
      );
  }
  function retry(): void {
    stopTimer = clock.after(RETRY_MS, () => {
      stopTimer = null;
      if (!tryTo(writeWaiting)) retry();
    });
  }

  return {
    write: (work) => {
      if (waiting.length === 0 && tryTo(work)) return;
      waiting.push(work);
      if (waiting.length > MOST_WAITING) waiting.shift();
      if (stopTimer === null) retry();
    },
    demand: (work) => {
      writeWaiting();
      return work();
    },
    dispose: () => {
      stopTimer?.();
      tryTo(writeWaiting);
      if (waiting.length > 0)
        log.error({ lost: waiting.length }, 'the home directory still cannot be written to, so this change is lost');
    },
  };
}
