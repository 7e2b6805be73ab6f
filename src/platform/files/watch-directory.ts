import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { Emitter } from '../../emitter/emitter.ts';

/**
 * `change`: a file was written to. `rename`: a file appeared or disappeared. The other two events have no file name,
 * because anything may have changed: `begin` means that watching has started, and `sweep` means that inotify may have
 * missed something.
 */
export type DirectoryEvent = 'change' | 'rename' | 'begin' | 'sweep';

export interface DirectoryWatchOptions {
  /** the absolute path of the directory, which need not exist yet */
  dir: string;
  /** receives the name of the file, or null for `begin` and `sweep` */
  onChange: (name: string | null, event: DirectoryEvent) => void;
  /**
   * called if the directory is missing: at the start, and at each sweep as long as it is missing; when the directory is
   * created, `onChange` reports that
   */
  onMissing?: () => void;
  /** called when another directory has replaced this one, so that the old files are gone */
  onReplaced?: () => void;
  /** how often to check everything in case inotify missed something (an overflowed queue, a network file system) */
  sweepMs?: number;
  /** whether the watch keeps the process alive; default: true */
  holdsProcess?: boolean;
}

const DEFAULT_SWEEP_MS = 30_000;
/**
 * How often to check the directory once the system's limit on watches has been reached, because from then on, checking
 * is the only way to notice changes. Even so, CBOS notices a hook within a quarter of a second.
 */
const BLIND_SWEEP_MS = 250;
/**
 * How long after a file has appeared or disappeared to check whether the directory is still there. The kernel reports
 * the removal of a directory only when no file in it is open any more, and a hook that is waiting for its reply keeps
 * one open.
 */
const RECHECK_MS = 100;

/** The errors for the system's limits on inotify, with the setting that raises each limit. */
const LIMITS: Readonly<Record<string, string>> = {
  ENOSPC: 'fs.inotify.max_user_watches',
  EMFILE: 'fs.inotify.max_user_instances',
};

const limited = new Emitter<[setting: string]>();
/** Listens for directories that are checked at intervals, because a limit on inotify is reached. */
export const onWatchLimit = limited.on;

/**
 * Watches a directory's files through inotify (0.03 ms), even if the directory is created later, or is removed and
 * created again. Calls `onChange(null, 'begin')` immediately if the directory exists, or otherwise as soon as it does.
 * @returns a function that ends the watch, after which no callback is called
 */
export function watchDirectory(options: DirectoryWatchOptions): () => void {
  const { dir, onChange, sweepMs = DEFAULT_SWEEP_MS, holdsProcess = true } = options;
  let watcher: FSWatcher | null = null;
  let isAtLimit = false;
  let watched: { path: string; identity: string | null } | null = null;
  let known: string | null = null;
  let nextSweep: NodeJS.Timeout | undefined;
  let recheck: NodeJS.Timeout | undefined;
  let isDisposed = false;

  const onEvent = (event: 'change' | 'rename', name: string | null): void => {
    if (isDisposed || watched === null) return;
    if (watched.path !== dir) {
      // The watched directory may be a parent of `dir`, in which other things happen too.
      if (nearestExisting(dir) !== watched.path || identityOf(watched.path) !== watched.identity) arm();
      return;
    }
    // A write does not move the directory. There may be a thousand writes a second, so they do not trigger a check.
    if (event === 'change' && name !== null) {
      onChange(name, event);
      return;
    }
    recheckLater();
    if (identityOf(dir) !== watched.identity) arm();
    // The name is missing if the kernel's queue has overflowed.
    else if (name === null) onChange(null, 'sweep');
    else onChange(name, event);
  };
  const arm = (): void => {
    if (isDisposed) return;
    // The loop runs a second time if the directory appears between the check and the watch. That can happen only once.
    for (;;) {
      watcher?.close();
      watcher = null;
      const path = nearestExisting(dir);
      watched = { path, identity: identityOf(path) };
      try {
        watcher = watch(path, { persistent: holdsProcess }, onEvent);
        isAtLimit = false;
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') continue;
        const setting = LIMITS[code];
        if (setting !== undefined && !isAtLimit) limited.tell(setting);
        isAtLimit = setting !== undefined;
        if (!isAtLimit && code !== 'EACCES') throw error;
        break;
      }
      watcher.on('error', arm);
      if (nearestExisting(dir) === path) break;
    }
    sweepLater();
    if (watched?.path !== dir) {
      options.onMissing?.();
      return;
    }
    const isOther = known !== null && known !== watched.identity;
    known = watched.identity;
    if (isOther) options.onReplaced?.();
    if (!isDisposed) onChange(null, watcher === null ? 'sweep' : 'begin');
  };
  const recheckLater = (): void => {
    clearTimeout(recheck);
    recheck = setTimeout(() => {
      if (watched?.path === dir && identityOf(dir) !== watched.identity) arm();
    }, RECHECK_MS);
    recheck.unref();
  };
  const sweepLater = (): void => {
    clearTimeout(nextSweep);
    nextSweep = setTimeout(sweep, isAtLimit ? BLIND_SWEEP_MS : sweepMs);
    nextSweep.unref();
  };
  const sweep = (): void => {
    if (watcher === null || watched?.path !== dir || identityOf(dir) !== watched.identity) {
      arm();
      return;
    }
    sweepLater();
    onChange(null, 'sweep');
  };
  arm();

  return () => {
    isDisposed = true;
    clearTimeout(nextSweep);
    clearTimeout(recheck);
    watcher?.close();
  };
}

/** Returns the path itself or its nearest parent, whichever is an existing directory. */
function nearestExisting(dir: string): string {
  let at = dir;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}

/**
 * Returns an identifier for an existing directory. File systems reuse the inode number of a removed directory for the
 * next one, so the identifier also contains the birth time.
 */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.birthtimeMs}`;
}
