import { join, relative } from 'node:path';
import { findCheckout, findMainCheckout } from '../../platform/git/git-dir.ts';
import { followLinks } from '../../platform/rules/index.ts';

/**
 * Returns the folder in the repository's main checkout that corresponds to a folder in a worktree, so that all
 * worktrees share the same earlier answers. Outside a repository, returns the folder itself.
 * @param folder an absolute path with links resolved
 */
export async function projectOf(folder: string): Promise<string> {
  const [checkout, main] = await Promise.all([findCheckout(folder), findMainCheckout(folder)]);
  if (checkout === null || main === null) return folder;
  return join((await followLinks(main)) ?? main, relative(checkout.folder, folder));
}
