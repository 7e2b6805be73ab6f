import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueError } from '../../protocol/index.ts';
import { isThere } from './repository.ts';
import { askGit, type GitPlace } from './run-git.ts';

/** How long another git command may hold a lock. An editor refreshes the index within a fraction of this time. */
const HELD_MS = 1_000;
const CHECK_EVERY_MS = 50;

/**
 * Refuses to go on while another git command holds a lock that git will need. A killed command leaves its lock.
 * @param names files in the git directory of the checkout, such as `index` or `refs/heads/main`
 * @throws CatalogueError git_locked with the path of the lock
 */
export async function requireNoLock(place: GitPlace, names: readonly string[]): Promise<void> {
  const words = names.flatMap((name) => ['--git-path', `${name}.lock`]);
  const locks = (await askGit(['rev-parse', '--path-format=absolute', ...words], place)).split('\n');
  for (let heldMs = 0; ; heldMs += CHECK_EVERY_MS) {
    const held = await findHeld(locks);
    if (held === null) return;
    if (heldMs >= HELD_MS) {
      throw new CatalogueError('git_locked', `The lock file ${held} exists`, { extra: { lock: held } });
    }
    await delay(CHECK_EVERY_MS);
  }
}

async function findHeld(locks: readonly string[]): Promise<string | null> {
  for (const lock of locks) if (await isThere(lock)) return lock;
  return null;
}
