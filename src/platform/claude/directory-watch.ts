import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

export interface DirectoryWatchOptions {
  /** absolute; need not exist yet */
  dir: string;
  /** called with the name of a file that came, changed or went; null: anything may have changed, look at everything */
  onChange: (name: string | null) => void;
  /** called when the directory is not there, at the start too; whoever makes it anew is told by `onChange` */
  onMissing?: () => void;
  /** called when it is another directory than before: what lay in that one has gone */
  onReplaced?: () => void;
  /** how often to look at everything in case inotify missed something (an overflown queue, a network file system) */
  sweepMs?: number;
}

const DEFAULT_SWEEP_MS = 30_000;
/** Where the system's limit of watches is reached, looking is all there is: a hook is seen within a quarter of a second then. */
const BLIND_SWEEP_MS = 250;

/** Nearest directory upwards that exists. */
function nearestExisting(dir: string): string {
  let at = dir;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}

/** Of a directory that is there; file systems give the number of one that was removed to the next one, so its birth counts as well. */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.birthtimeMs}`;
}

/**
 * Watches a directory's files by inotify (0.03 ms), also one that is made later, or removed and made again. Calls
 * `onChange(null)` once at the start when the directory is there, else as soon as it is.
 * @returns disposer; no call comes after it
 */
export function watchDirectory(options: DirectoryWatchOptions): () => void {
  const { dir, onChange } = options;
  let watcher: FSWatcher | null = null;
  let watched: { path: string; identity: string | null } | null = null;
  let known: string | null = null;
  let nextSweep: NodeJS.Timeout | undefined;
  let isDisposed = false;

  const onEvent = (name: string | null): void => {
    if (isDisposed || watched === null) return;
    if (watched.path === dir && identityOf(dir) === watched.identity) onChange(name);
    else arm();
  };
  const arm = (): void => {
    if (isDisposed) return;
    // Twice round when the directory appears between the look and the watch; it cannot appear more than once.
    for (;;) {
      watcher?.close();
      const path = nearestExisting(dir);
      watched = { path, identity: identityOf(path) };
      try {
        watcher = watch(path, { persistent: true }, (_, name) => onEvent(name));
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') continue;
        if (!['ENOSPC', 'EMFILE'].includes(code)) throw error;
        watcher = null;
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
    onChange(null);
  };
  const sweepLater = (): void => {
    clearTimeout(nextSweep);
    nextSweep = setTimeout(sweep, watcher === null ? BLIND_SWEEP_MS : (options.sweepMs ?? DEFAULT_SWEEP_MS));
    nextSweep.unref();
  };
  const sweep = (): void => {
    if (watcher === null || watched?.path !== dir || identityOf(dir) !== watched.identity) {
      arm();
      return;
    }
    sweepLater();
    onChange(null);
  };
  arm();

  return () => {
    isDisposed = true;
    clearTimeout(nextSweep);
    watcher?.close();
  };
}
