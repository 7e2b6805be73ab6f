import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';

const Holder = z.object({
  pid: z.int(),
  started_at: z.string(),
  version: z.string(),
  address: z.string().nullable(),
  screen_dir: z.string(),
});
/** The server that holds a home, and where its sessions' sockets are. */
export type LockHolder = z.infer<typeof Holder>;

export interface HomeLock {
  /** writes down who holds it, for messages and for `cbos down` */
  describe(holder: LockHolder): void;
  release(): void;
}

const LOCK_FILE = 'server.lock';
const HOLDER_FILE = 'server.json';

/**
 * Takes the lock of a home, or says null when another server holds it.
 * The lock is SQLite's own on a file of its own: the kernel releases it when its process ends, however it ends,
 * so a lock can never be stale and two servers can never recover it at once.
 */
export function takeHomeLock(home: string): HomeLock | null {
  const database = new DatabaseSync(join(home, LOCK_FILE));
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (isBusy(cause)) return null;
    throw cause;
  }
  const holderFile = join(home, HOLDER_FILE);
  return {
    describe: (holder) => writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 }),
    release: () => {
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

/** Who holds the lock of a home; null when nobody does, or when the holder has not said yet. Takes nothing. */
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
