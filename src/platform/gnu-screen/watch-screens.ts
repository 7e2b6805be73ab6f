import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** A launch makes four events within some ms; one look after them is enough. */
const COALESCE_MS = 5;
/** How long to wait before trying again where neither the directory nor its parent can be watched. */
const RETRY_MS = 5_000;

/**
 * Tells when a Screen session appears, goes, is renamed, attached or detached: all of them change an entry of the socket
 * directory, the last two its mode. A daemon that was *killed* changes nothing there; that is the process watcher's business.
 * The directory need not exist yet, and may be removed and made again.
 * @returns the disposer
 */
export function watchScreens(dir: string, onChange: () => void): () => void {
  let watcher: FSWatcher | null = null;
  let pending: NodeJS.Timeout | null = null;
  let retry: NodeJS.Timeout | null = null;
  let disposed = false;

  const tell = () => {
    pending ??= setTimeout(() => {
      pending = null;
      onChange();
    }, COALESCE_MS);
  };
  const reopen = () => {
    if (disposed) return;
    watcher?.close();
    watcher = open();
    if (watcher) return;
    retry = setTimeout(reopen, RETRY_MS);
    retry.unref();
  };
  const open = (): FSWatcher | null => openDirectory() ?? openParent();

  const openDirectory = (): FSWatcher | null =>
    tryWatch(dir, (event, name) => {
      tell();
      // The directory itself was removed or moved: the name is then its own.
      if (event === 'rename' && name === basename(dir)) reopen();
    });
  const openParent = (): FSWatcher | null =>
    tryWatch(dirname(dir), (_event, name) => {
      if (name !== basename(dir)) return;
      reopen();
      tell();
    });
  const tryWatch = (path: string, listener: (event: string, name: string | null) => void): FSWatcher | null => {
    try {
      const made = watch(path, { persistent: false }, listener);
      made.on('error', reopen);
      return made;
    } catch (error) {
      // ENOENT: not there yet. ENOSPC, EMFILE: the system's limit of watches. The next level, or the retry, takes over.
      if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENOSPC', 'EMFILE'].includes((error as NodeJS.ErrnoException).code ?? ''))
        return null;
      throw error;
    }
  };

  watcher = open();
  if (!watcher) reopen();
  return () => {
    disposed = true;
    watcher?.close();
    if (pending) clearTimeout(pending);
    if (retry) clearTimeout(retry);
  };
}
