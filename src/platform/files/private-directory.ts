import { promises } from 'node:fs';
import { userInfo } from 'node:os';
import { CatalogueError } from '../../protocol/index.ts';

const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Creates a directory if it is missing, and removes write permission for other users, who could otherwise place a
 * symbolic link in it and have CBOS overwrite the link's target. A directory that is meant to be shared (sticky, like
 * /tmp) is rejected instead.
 * @param cure tells the user how to choose another directory
 * @throws CatalogueError invalid_setting
 */
export async function ensureOwnDirectory(dir: string, cure: string): Promise<void> {
  await promises.mkdir(dir, { recursive: true, mode: 0o700 });
  const { mode } = await requireOwn(dir, cure);
  if ((mode & OTHERS_MAY_WRITE) === 0) return;
  if ((mode & STICKY) !== 0) {
    throw new CatalogueError('invalid_setting', `other users can write to ${dir}`, { hint: cure });
  }
  await promises.chmod(dir, mode & 0o777 & ~OTHERS_MAY_WRITE);
}

/**
 * Rejects a directory that belongs to another user. Root could use any user's directory, but the owner could not use
 * what root creates there. In addition, the owner may have planted what root reads there.
 * @throws CatalogueError invalid_setting if the directory belongs to another user
 */
export async function requireOwn(dir: string, cure: string): Promise<{ mode: number }> {
  const { mode, uid } = await promises.stat(dir);
  if (uid === userInfo().uid) return { mode };
  throw new CatalogueError('invalid_setting', `${dir} belongs to another user (uid ${uid})`, { hint: cure });
}
