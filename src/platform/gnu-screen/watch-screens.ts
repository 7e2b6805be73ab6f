import { watchDirectory } from '../files/watch-directory.ts';

/**
 * How long to collect events. A launch causes four within some milliseconds, and checking once after them is enough.
 */
const COALESCE_MS = 5;

/**
 * Reports when a Screen session appears, disappears, is renamed, attached, or detached. Each of these changes an
 * entry of the socket directory; the last two change its mode. A daemon that was *killed* changes nothing there, but
 * the process watcher detects the kill. The directory need not exist yet, and may be removed and created again. The
 * start of the watch is reported too.
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
