import { CatalogueError, type Session } from '../../protocol/index.ts';

/** @throws CatalogueError no_worktree */
export function requireWorktree(slug: string, worktree: Session['worktree']): NonNullable<Session['worktree']> {
  if (worktree === undefined) throw new CatalogueError('no_worktree', `CBOS did not create a worktree for ${slug}`);
  return worktree;
}
