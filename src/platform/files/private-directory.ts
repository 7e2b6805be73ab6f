import { chmod, mkdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { CatalogueError } from '../../protocol/index.ts';

const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Makes a directory where it is missing, and closes it to the writing of others: they could put a link there to what is
 * to be overwritten. One that is meant to be shared (sticky, as /tmp) is nobody's to close.
 * @param cure how to name another one
 * @throws CatalogueError invalid_setting
 */
export async function ensureOwnDirectory(dir: string, cure: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const { mode } = await requireOwn(dir, cure);
  if ((mode & OTHERS_MAY_WRITE) === 0) return;
  if ((mode & STICKY) !== 0) {
    throw new CatalogueError('invalid_setting', `${dir} can be written by other users`, { hint: cure });
  }
  await chmod(dir, mode & 0o777 & ~OTHERS_MAY_WRITE);
}

/**
 * Root could use anybody's directory; what it makes there its owner could not use any more, and what it reads there may
 * be meant for it.
 * @throws CatalogueError invalid_setting for a directory of another user
 */
export async function requireOwn(dir: string, cure: string): Promise<{ mode: number }> {
  const { mode, uid } = await stat(dir);
  if (uid === userInfo().uid) return { mode };
  throw new CatalogueError('invalid_setting', `${dir} belongs to another user (uid ${uid})`, { hint: cure });
}
