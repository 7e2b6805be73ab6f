import { watchDirectory } from '../files/watch-directory.ts';

/** How long to collect events. A launch causes four within a few milliseconds, and one check after them is enough. */
const COALESCE_MS = 5;

/**
 * Reports when a Screen session appears, disappears, is renamed, attached, or detached. Each of these changes an entry
 * in the socket directory; attaching and detaching change the entry's mode. When a daemon is *killed*, nothing changes
 * there, but the process watcher detects the kill. The directory need not exist yet, and may be removed and created
 * again. The start of the watch is also reported.
 * @returns the disposer
 */
export function watchScreens(dir: string, onChange: () => void): () => void {
  let pending: NodeJS.Timeout | undefined;
  const tell = (): void => {
    pending ??= setTimeout(() => {
      pending = undefined;
      onChange();
    }, COALESCE_MS);
  };
  const stop = watchDirectory({
    dir,
    // The process watcher also does the periodic check.
    onChange: (_, event) => event !== 'sweep' && tell(),
    onMissing: tell,
  });
  return () => {
    stop();
    clearTimeout(pending);
  };
}
