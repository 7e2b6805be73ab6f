import { chmod, mkdir, stat } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';

/** The token, the hooks' payloads and every prompt are inside: nobody else's business. */
const PRIVATE = 0o700;

/**
 * Makes CBOS's home where it is missing, and closes it to others where it was open.
 * @throws CatalogueError invalid_setting when it cannot be a directory of ours
 */
export async function prepareHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: PRIVATE });
    const { mode } = await stat(home);
    if ((mode & 0o777) !== PRIVATE) await chmod(home, PRIVATE);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CatalogueError('invalid_setting', `The home ${home} cannot be used (${reason})`, {
      hint: 'Name a directory that belongs to you in CBOS_HOME',
      cause,
    });
  }
}
