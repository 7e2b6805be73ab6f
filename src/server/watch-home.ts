import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { watchDirectory } from '../platform/files/watch-directory.ts';
import { DATABASE_FILE, type Database, renewLog } from '../platform/sqlite/database.ts';
import { LOCK_FILE } from '../platform/sqlite/home-lock.ts';
import { CatalogueError } from '../protocol/index.ts';
import { shellWord } from '../text/shell-word.ts';
import type { Logger } from './logger.ts';
import type { Dispose } from './sessions.ts';

/**
 * Waits until the server's home is removed, moved, or replaced. If only the database's log is removed, this function
 * recreates the log.
 * @returns `lost`, a promise that resolves with the cause when the server must end
 */
export function awaitLoss(
  home: string,
  database: Database,
  log: Logger,
): { lost: Promise<CatalogueError>; stop: Dispose } {
  let stop: Dispose = () => undefined;
  const lost = new Promise<CatalogueError>((resolve) => {
    stop = watchHome({
      home,
      onLost: (error) => {
        log.error(
          { err: error },
          'the home directory no longer exists: the server stops, but the sessions keep running',
        );
        resolve(error);
      },
      onLogLost: () => remakeLog(database, log),
    });
  });
  return { lost, stop };
}

function remakeLog(database: Database, log: Logger): void {
  const file = `${DATABASE_FILE}-wal`;
  try {
    renewLog(database);
    log.error({ file }, "another program deleted the database's log; nothing was lost, and CBOS created a new log");
  } catch (cause) {
    log.error({ err: cause, file }, "another program deleted the database's log, and CBOS could not create a new one");
  }
}

interface HomeWatchOptions {
  home: string;
  /** Called once, when the home, its lock, or its database is no longer in place. */
  onLost: (error: CatalogueError) => void;
  /**
   * Called when the database's write-ahead log has been removed or replaced, because later writes would then be lost.
   */
  onLogLost: () => void;
}

/** Watches with inotify whether a server's home remains in place. The lock and the database must already be open. */
function watchHome({ home, onLost, onLogLost }: HomeWatchOptions): Dispose {
  const [lock, database, log] = [LOCK_FILE, DATABASE_FILE, `${DATABASE_FILE}-wal`].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const kept = [lock, database].map((file) => ({ file, inode: inodeOf(file) }));
  let logInode = inodeOf(log);
  let isOver = false;
  let stop: Dispose = () => undefined;

  function look(): void {
    if (isOver) return;
    const gone = kept.find(({ file, inode }) => inodeOf(file) !== inode);
    if (gone !== undefined) {
      dispose();
      onLost(lossOf(home, gone.file));
      return;
    }
    if (inodeOf(log) === logInode) return;
    onLogLost();
    logInode = inodeOf(log);
  }
  function dispose(): void {
    isOver = true;
    stop();
  }

  // A `change` event only means that one of the files was written, which happens with every new status.
  stop = watchDirectory({ dir: home, onChange: (_, event) => event !== 'change' && look(), onMissing: look });
  // The home may have been lost before the watch began. `dispose` then ran before `stop` was set.
  if (isOver) stop();
  return dispose;
}

function lossOf(home: string, file: string): CatalogueError {
  const now = placeOfOpen(file);
  if (inodeOf(file) !== null)
    return new CatalogueError('home_gone', `${file} was replaced while the server was running`);
  if (now === null) return new CatalogueError('home_gone', `${file} was removed while the server was running`);
  return new CatalogueError('home_gone', `The home ${home} was moved to ${dirname(now)} while the server was running`, {
    hint: `Start the server there: \`CBOS_HOME=${shellWord(dirname(now))} cbos up\`; sessions keep running`,
  });
}

/**
 * Asks the kernel for the current path of a file that this process has open. Returns null if the file no longer has a
 * name.
 */
function placeOfOpen(file: string): string | null {
  const name = file.slice(file.lastIndexOf('/'));
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      const place = readlinkSync(`/proc/self/fd/${fd}`);
      if (place.endsWith(name)) return place;
    } catch {
      // The descriptor was closed after the directory was read.
    }
  }
  return null;
}

function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}
