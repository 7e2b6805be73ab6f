import { constants, promises } from 'node:fs';
import { CatalogueError, settingVariable } from '../../protocol/index.ts';
import { requireOwn } from '../files/private-directory.ts';
import { homeFault } from '../sqlite/home-fault.ts';

/**
 * The permissions of the home. The home contains the token, the payloads of hooks, and every prompt, so no one else may
 * read it.
 */
const PRIVATE = 0o700;

const OWN_HOME = `Set ${settingVariable('home')} to a directory that belongs to you`;

/**
 * Creates CBOS's home if it is missing, and makes it private if others could read it.
 * @throws CatalogueError disk_full, home_read_only, invalid_setting if the path cannot be a directory that belongs to
 * this user
 */
export async function prepareHome(home: string): Promise<void> {
  try {
    await promises.mkdir(home, { recursive: true, mode: PRIVATE });
    const { mode } = await requireOwn(home, OWN_HOME);
    if ((mode & 0o777) !== PRIVATE) await promises.chmod(home, PRIVATE);
    // A server that could not record anything would type prompts without remembering them. It also could not take its
    // lock.
    await promises.access(home, constants.W_OK);
  } catch (cause) {
    throw homeError(cause, home);
  }
}

/** Returns the error for a failure in the directory of a home, including the name of that directory. */
function homeError(cause: unknown, home: string): CatalogueError {
  if (cause instanceof CatalogueError) return cause;
  const fault = homeFault(cause);
  if (fault === 'home_read_only')
    return new CatalogueError(fault, `The home directory ${home} is on a read-only file system`, { cause });
  if (fault !== null) return new CatalogueError(fault, `The disk that holds ${home} is full`, { cause });
  const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new CatalogueError('invalid_setting', `The home directory ${home} cannot be used (${reason})`, {
    hint: OWN_HOME,
    cause,
  });
}
