import { watchDirectory } from '../files/watch-directory.ts';

/**
 * How long to collect events. A launch causes four of them within a few milliseconds, and a single check after the last
 * one is enough.
 */
const COALESCE_MS = 5;

/**
 * Reports when a Screen session appears or disappears, is renamed, or is attached or detached. Each of these events
 * changes an entry in the socket directory; attaching and detaching change the mode of the entry. When a daemon is
 * *killed*, nothing changes there, but the process watcher detects the kill. The directory need not exist yet, and may
 * be removed and created again. The start of the watch is also reported.
 * @returns a function that ends the watch
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
    // The process watcher also performs the periodic check.
    onChange: (_, event) => event !== 'sweep' && tell(),
    onMissing: tell,
  });
  return () => {
    stop();
    clearTimeout(pending);
  };
}
