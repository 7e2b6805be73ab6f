import { join } from 'node:path';
import { findCheckout, findLostWorktree, isFolder, readSmall } from '../platform/git/git-dir.ts';

/** How long to wait for each folder. A network drive that does not respond must not delay a list. */
const LONGEST_WAIT_MS = 200;

/**
 * Returns the git branch of each folder, which it reads from `.git` without running `git`. For a detached HEAD, the
 * result contains the beginning of the commit's hash instead. Folders outside a repository are omitted.
 */
export async function readGitBranches(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await inTime(readGitBranch(path))] as const),
  );
  return new Map(found.flatMap(([path, branch]) => (branch === null ? [] : [[path, branch] as const])));
}

async function readGitBranch(path: string): Promise<string | null> {
  // Without this, a folder that no longer exists would have the branch of the checkout around it.
  const checkout = (await isFolder(path)) ? await findCheckout(path) : null;
  // The same holds for a worktree that has lost its `.git` file.
  if (checkout === null || (await findLostWorktree(path)) !== null) return null;
  return branchOf(await readSmall(join(checkout.gitDir, 'HEAD')));
}

function branchOf(head: string): string | null {
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? [];
  return branch ?? /^[0-9a-f]{7}/.exec(head)?.[0] ?? null;
}

async function inTime(branch: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LONGEST_WAIT_MS);
  });
  try {
    return await Promise.race([branch, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
