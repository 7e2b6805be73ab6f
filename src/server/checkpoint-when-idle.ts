import type { Database } from '../platform/sqlite/database.ts';
import { homeFault } from '../platform/sqlite/home-fault.ts';
import type { Clock } from './clock.ts';
import type { Dispose } from './sessions.ts';

/** Nothing was written for this long: the sessions are quiet, and a checkpoint costs nobody anything. */
const IDLE_MS = 5_000;

/**
 * Brings what stands in the write-ahead log into the database's own file whenever nothing was written for a while: a
 * copy of `cbos.db` alone then has everything, and a log that is lost loses little. SQLite does it by itself after
 * 1,000 pages only.
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

/** @returns false on a full disk, where it is tried again */
function tryCheckpoint(database: Database): boolean {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return true;
  } catch (cause) {
    if (homeFault(cause) === null) throw cause;
    return false;
  }
}
