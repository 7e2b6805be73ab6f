import type { Database } from '../platform/sqlite/database.ts';
import { homeFault } from '../platform/sqlite/home-fault.ts';
import type { Clock } from './clock.ts';
import type { Dispose } from './sessions.ts';

/**
 * How long the database must go without a write before a checkpoint. By then the sessions are quiet, so the checkpoint
 * delays nobody.
 */
const IDLE_MS = 5_000;

/**
 * Moves the content of the write-ahead log into the database file whenever nothing has been written for a while. A copy
 * of `cbos.db` alone then contains everything, and losing the log loses little. By default, SQLite does this only after
 * 1,000 pages.
 */
export function checkpointWhenIdle(database: Database, clock: Clock): Dispose {
  const changes = database.prepare('SELECT total_changes() AS count');
  const count = (): number => Number(changes.get()?.count);
  let seen = count();
  let written: number | null = null;
  let stopTimer: Dispose | null = null;

  function look(): void {
    const now = count();
    if (now === seen && now !== written && tryCheckpoint(database)) written = now;
    seen = now;
    again();
  }
  function again(): void {
    stopTimer = clock.after(IDLE_MS, look);
  }
  again();
  return () => stopTimer?.();
}

/** @returns false if the disk is full, in which case the checkpoint is retried later */
function tryCheckpoint(database: Database): boolean {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return true;
  } catch (cause) {
    if (homeFault(cause) === null) throw cause;
    return false;
  }
}
