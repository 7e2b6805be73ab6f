import { join } from 'node:path';
import { worktreeArgument } from '../../core/launch/index.ts';
import { findMainCheckout } from '../../platform/git/git-dir.ts';
import { followLinks } from '../../platform/rules/index.ts';

/**
 * Returns the worktree in which Claude Code's own `--worktree NAME` starts an agent, or null if the arguments name
 * none. Claude Code keeps its worktrees inside the main checkout, also if it is started in another worktree (2.1.330).
 * @param folder the folder in which Claude Code is started
 */
export async function arguedWorktree(args: readonly string[], folder: string | null): Promise<string | null> {
  const name = worktreeArgument(args);
  if (name === null || folder === null) return null;
  const real = (await followLinks(folder)) ?? folder;
  return join((await findMainCheckout(real)) ?? real, '.claude', 'worktrees', name);
}
