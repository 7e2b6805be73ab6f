import { watchDirectory } from '../files/watch-directory.ts';

/** A launch makes four events within some ms; one look after them is enough. */
const COALESCE_MS = 5;

/**
 * Tells when a Screen session appears, goes, is renamed, attached or detached: all of them change an entry of the
 * socket directory, the last two its mode. A daemon that was *killed* changes nothing there; that is the process
 * watcher's business. The directory need not exist yet, and may be removed and made again; that it is watched is told
 * as well.
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
    // A look every so often is the process watcher's business too.
    onChange: (_, event) => event !== 'sweep' && tell(),
    onMissing: tell,
  });
  return () => {
    stop();
    clearTimeout(pending);
  };
}
