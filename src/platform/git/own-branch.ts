import { CatalogueError, type Worktree } from '../../protocol/index.ts';
import { commitOf, currentBranch, isAncestor } from './repository.ts';
import type { GitPlace } from './run-git.ts';

/**
 * Refuses a worktree that is not on the branch of its session. Otherwise, CBOS would merge or push other commits than
 * those of the branch that it names.
 * @param inside the worktree
 * @throws CatalogueError branch_switched
 */
export async function requireOwnBranch(inside: GitPlace, worktree: Worktree): Promise<void> {
  const current = await currentBranch(inside);
  if (current !== worktree.branch) throw await branchSwitched(inside, worktree, current);
}

/** Returns the error for a worktree that is on another branch than that of its session, or on none (null). */
export async function branchSwitched(
  inside: GitPlace,
  { branch: own, path }: Worktree,
  current: string | null,
): Promise<CatalogueError> {
  const where = current === null ? 'on no branch (its HEAD is detached)' : `on the branch ${current}`;
  return new CatalogueError('branch_switched', `${path} is ${where}, but the branch of its session is ${own}`, {
    hint: `${await cureOf(inside, own, current)}; nothing was changed`,
    extra: { branch: own, current },
  });
}

async function cureOf(inside: GitPlace, own: string, current: string | null): Promise<string> {
  // The hint does not repeat a name that a shell would interpret.
  if (!/^[\w./-]+$/.test(own)) return 'Switch back to that branch in that folder, then try again';
  if ((await commitOf(inside, `refs/heads/${own}`)) !== null) {
    return `Run \`git switch ${own}\` in that folder, then try again; \`--discard\` merges nothing and keeps both branches`;
  }
  const again = current === null ? `git switch --create ${own}` : `git branch --move ${own}`;
  return `The branch ${own} no longer exists. Run \`${again}\` in that folder, then try again`;
}

/**
 * Returns the name under which the commit of a worktree is saved and restored. If restoring the worktree under the name
 * of its session's branch would not bring back that branch's commits, the name is another one, and the branch is kept.
 * @param inside the worktree
 * @param own the branch of the session
 */
export async function branchToSave(inside: GitPlace, own: string): Promise<string> {
  const current = await currentBranch(inside);
  if (current !== null) return current;
  const tip = await commitOf(inside, `refs/heads/${own}`);
  return tip === null || (await isAncestor(inside, tip, 'HEAD')) ? own : `${own}-detached`;
}
