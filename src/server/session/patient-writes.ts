import { isDiskFull } from '../../platform/sqlite/disk-full.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** How soon what could not be written is tried again. */
const RETRY_MS = 3_000;
/** A fleet of fifty writes some thousand an hour; what is older than these is given up. */
const MOST_WAITING = 10_000;

/**
 * Writes what CBOS has only observed, and nobody waits for: where the disk is full it is kept in memory, in its order, and written as
 * soon as there is room.
 */
export interface PatientWrites {
  write(work: () => void): void;
  dispose(): void;
}

export function createPatientWrites(clock: Clock, log: Logger): PatientWrites {
  const waiting: (() => void)[] = [];
  let stopTimer: Dispose | null = null;

  /** @returns false while the disk is full */
  function tryTo(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (cause) {
      if (!isDiskFull(cause)) throw cause;
      return false;
    }
  }
  function catchUp(): void {
    const before = waiting.length;
    while (waiting[0] !== undefined && tryTo(waiting[0])) waiting.shift();
    if (waiting.length > 0) retry();
    else log.info({ written: before }, 'there is room again: what was kept in memory is written');
  }
  function retry(): void {
    stopTimer = clock.after(RETRY_MS, () => {
      stopTimer = null;
      catchUp();
    });
  }

  return {
    write: (work) => {
      if (waiting.length === 0 && tryTo(work)) return;
      if (waiting.length === 0) log.error({}, 'the disk of the home is full: what sessions do is kept in memory');
      waiting.push(work);
      if (waiting.length > MOST_WAITING) waiting.shift();
      if (stopTimer === null) retry();
    },
    dispose: () => {
      stopTimer?.();
      while (waiting[0] !== undefined && tryTo(waiting[0])) waiting.shift();
      if (waiting.length > 0) log.error({ lost: waiting.length }, 'the disk of the home is still full: this is lost');
    },
  };
}
