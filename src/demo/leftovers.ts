import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CatalogueError } from '../protocol/index.ts';

interface Leftovers {
  /** what the directories of demos begin with */
  prefix: string;
  /** starts the server of a demo's directory anew and ends its sessions. @throws server_running where the demo runs */
  end(dir: string): Promise<void>;
  remove(dir: string): void;
  print(line: string): void;
}

/** The lock of a demo's home; before it is there, the demo has no sessions, or it is just starting. */
const LOCK = join('cbos', 'server.lock');

/**
 * Ends what demos have left that were killed: their sessions live on in Screen, and nobody else knows of them. A demo
 * that runs holds the lock of its home, and is left alone. What cannot be ended is said, and stops no demo.
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
      print('An earlier demo was killed: its sessions are ended now.');
    } catch (error) {
      if (error instanceof CatalogueError && error.code === 'server_running') continue;
      const why = error instanceof Error ? error.message : String(error);
      print(`An earlier demo was killed, and its sessions in ${dir} could not be ended: ${why}`);
    }
  }
}

/** Others may make directories of any name where temporary files lie. */
function isOwnDirectory(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
