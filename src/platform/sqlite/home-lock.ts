import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';
import { homeFault } from './home-fault.ts';

const Holder = z.object({
  pid: z.int(),
  started_at: z.string(),
  version: z.string(),
  address: z.string().nullable(),
  screen_dir: z.string().nullable(),
  /** who else can reach the server, in words, or null if only this machine can; older servers do not report this */
  reach: z.string().nullish(),
});
/** The server that holds a home, and the location of its sessions' sockets. */
export type LockHolder = z.infer<typeof Holder>;

export interface HomeLock {
  /**
   * records the holder of the lock, so that messages can name it; on a full disk this fails, but `findHomeHolders` can
   * still find the holder
   */
  describe(holder: LockHolder): void;
  release(): void;
}

export const LOCK_FILE = 'server.lock';
const HOLDER_FILE = 'server.json';

/**
 * Takes the lock of a home, or returns null if another server holds it. The lock is SQLite's own lock on a separate
 * file. The kernel releases it when the process ends, for whatever reason. The lock can therefore never be stale, and
 * two servers can never both try to recover a stale one.
 */
export function takeHomeLock(home: string): HomeLock | null {
  const database = new DatabaseSync(join(home, LOCK_FILE));
  try {
    // Otherwise, SQLite would write a journal file, for which a full disk has no room.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (isBusy(cause)) return null;
    throw cause;
  }
  const holderFile = join(home, HOLDER_FILE);
  let described: number | null = null;
  return {
    describe: (holder) => {
      described = holder.pid;
      try {
        writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
      } catch (cause) {
        if (homeFault(cause) === null) throw cause;
      }
    },
    release: () => {
      try {
        // The home may have been removed and replaced by another one, which has a server of its own.
        if (described !== null && readLockHolder(home)?.pid === described) rmSync(holderFile, { force: true });
      } catch (cause) {
        if (homeFault(cause) === null) throw cause;
      }
      database.close();
    },
  };
}

/**
 * Returns what the last server of a home recorded about itself, or null if there is no record. Does not take the lock.
 */
export function readLockHolder(home: string): LockHolder | null {
  try {
    return Holder.parse(JSON.parse(readFileSync(join(home, HOLDER_FILE), 'utf8')));
  } catch (cause) {
    if (cause instanceof Error) return null;
    throw cause;
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && /database is locked|SQLITE_BUSY/i.test(cause.message);
}
