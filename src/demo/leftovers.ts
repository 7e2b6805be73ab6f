import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CatalogueError } from '../protocol/index.ts';

interface Leftovers {
  /** the prefix of the names of demo directories */
  prefix: string;
  /**
   * restarts the server in a demo's directory, and ends the server's sessions. @throws server_running if the demo is
   * still running
   */
  end(dir: string): Promise<void>;
  remove(dir: string): void;
  print(line: string): void;
}

/** The lock of a demo's home. As long as it does not exist, the demo has no sessions, because it is just starting. */
const LOCK = join('cbos', 'server.lock');

/**
 * Cleans up after demos that were killed. Their sessions are still running in Screen, and no other server knows about
 * them. A running demo is left alone, because it holds the lock of its home. If a session cannot be ended, this is
 * reported, but the new demo starts anyway.
 */
export async function endLeftovers(temporaryDirectory: string, leftovers: Leftovers): Promise<void> {
  const { prefix, end, remove, print } = leftovers;
  for (const name of readdirSync(temporaryDirectory)) {
    if (!name.startsWith(prefix) || !isOwnDirectory(join(temporaryDirectory, name))) continue;
    const dir = realpathSync(join(temporaryDirectory, name));
    if (!existsSync(join(dir, LOCK))) continue;
    try {
      await end(dir);
      remove(dir);
      print('An earlier demo was killed; its sessions are now ended.');
    } catch (error) {
      if (error instanceof CatalogueError && error.code === 'server_running') continue;
      const why = error instanceof Error ? error.message : String(error);
      print(`An earlier demo was killed, and its sessions in ${dir} could not be ended: ${why}`);
    }
  }
}

/** Other users can create directories with any name in the directory for temporary files. */
function isOwnDirectory(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
