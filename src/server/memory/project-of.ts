import { join, relative } from 'node:path';
import { findCheckout, findMainCheckout } from '../../platform/git/git-dir.ts';
import { followLinks } from '../../platform/rules/index.ts';

/**
 * Returns the folder in the main checkout of its repository that corresponds to a folder of a worktree, so that all
 * worktrees share what was answered. Outside of a repository, it is the folder itself.
 * @param folder absolute, links followed
 */
export async function projectOf(folder: string): Promise<string> {
  const [checkout, main] = await Promise.all([findCheckout(folder), findMainCheckout(folder)]);
  if (checkout === null || main === null) return folder;
  return join((await followLinks(main)) ?? main, relative(checkout.folder, folder));
}
