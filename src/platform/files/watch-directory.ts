import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/**
 * `change`: a file was written to; `rename`: one came or went. Of no file by name, for anything may have changed:
 * `begin`, the directory is watched from now on, and `sweep`, inotify may have missed something.
 */
export type DirectoryEvent = 'change' | 'rename' | 'begin' | 'sweep';

export interface DirectoryWatchOptions {
  /** absolute; need not exist yet */
  dir: string;
  /** told the file's name, null for `begin` and `sweep` */
  onChange: (name: string | null, event: DirectoryEvent) => void;
  /**
   * called when the directory is not there, at the start too, and with each sweep while it is so; whoever makes it anew
   * is told by `onChange`
   */
  onMissing?: () => void;
  /** called when it is another directory than before: what lay in that one has gone */
  onReplaced?: () => void;
  /** how often to look at everything in case inotify missed something (an overflown queue, a network file system) */
  sweepMs?: number;
  /** whether the process lives on for it; true when left out */
  holdsProcess?: boolean;
}

const DEFAULT_SWEEP_MS = 30_000;
/**
 * Where the system's limit of watches is reached, looking is all there is: a hook is seen within a quarter of a second
 * then.
 */
const BLIND_SWEEP_MS = 250;

/** The system's limits of watches and of inotify instances. */
const LIMITS: readonly string[] = ['ENOSPC', 'EMFILE'];

/**
 * Watches a directory's files by inotify (0.03 ms), also one that is made later, or removed and made again. Calls
 * `onChange(null, 'begin')` once at the start when the directory is there, else as soon as it is.
 * @returns disposer; no call comes after it
 */
export function watchDirectory(options: DirectoryWatchOptions): () => void {
  const { dir, onChange, sweepMs = DEFAULT_SWEEP_MS, holdsProcess = true } = options;
  let watcher: FSWatcher | null = null;
  let isAtLimit = false;
  let watched: { path: string; identity: string | null } | null = null;
  let known: string | null = null;
  let nextSweep: NodeJS.Timeout | undefined;
  let isDisposed = false;

  const onEvent = (event: 'change' | 'rename', name: string | null): void => {
    if (isDisposed || watched === null) return;
    if (watched.path !== dir) {
      // A directory above it, in which other things happen too.
      if (nearestExisting(dir) !== watched.path || identityOf(watched.path) !== watched.identity) arm();
      return;
    }
    // A write does not move the directory, and there may be a thousand a second.
    if (event === 'change' && name !== null) onChange(name, event);
    else if (identityOf(dir) !== watched.identity) arm();
    // No name comes when the kernel's queue overflowed.
    else if (name === null) onChange(null, 'sweep');
    else onChange(name, event);
  };
  const arm = (): void => {
    if (isDisposed) return;
    // Twice round when the directory appears between the look and the watch; it cannot appear more than once.
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
        isAtLimit = LIMITS.includes(code);
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
    watcher?.close();
  };
}

/** The nearest directory upwards that exists. */
function nearestExisting(dir: string): string {
  let at = dir;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}

/**
 * Of a directory that is there; file systems give the number of one that was removed to the next one, so its birth
 * counts as well.
 */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.birthtimeMs}`;
}
