import type { RepositoryWorktrees } from '../protocol/index.ts';
import { shellWord } from './shell-word.ts';
import { cleanLine } from './terminal-text.ts';

/** A worktree whose folder is gone, as git lists it, or as CBOS remembers it. */
export interface GoneFolder {
  /** the main checkout of its repository */
  repository: string;
  path: string;
  branch: string | null;
  locked: boolean;
}

const gitIn = (repository: string): string => `git -C ${shellWord(repository)} worktree`;

/** Returns the command that makes git forget a worktree whose folder is gone. git keeps a locked one. */
export function pruneCommand({ repository, path, locked }: GoneFolder): string {
  const git = gitIn(repository);
  return `${locked ? `${git} unlock ${shellWord(path)} && ` : ''}${git} prune`;
}

/**
 * Returns the command that creates the folder of a worktree again.
 * @param isListed whether git still lists the worktree: it then has to be told to use the folder, once for the list and
 * once for a lock
 * @param commit what is checked out if the worktree is on no branch
 */
export function bringBackCommand(gone: GoneFolder, isListed: boolean, commit: string | null = null): string {
  const { repository, path, branch, locked } = gone;
  const force = !isListed ? '' : locked ? '-f -f ' : '-f ';
  const what = branch === null ? `--detach ${shellWord(path)} ${commit}` : `${shellWord(path)} ${shellWord(branch)}`;
  return `${gitIn(repository)} add ${force}${what}`;
}

/** Returns the command that creates a worktree on a new branch, which is named after the folder. */
export function anewCommand({ repository, path }: Pick<GoneFolder, 'repository' | 'path'>): string {
  return `${gitIn(repository)} add ${shellWord(path)}`;
}

/** Says how the worktrees in a list that no longer exist come back, or disappear from the list. */
export function goneNotes({ repository, worktrees }: RepositoryWorktrees): string[] {
  return worktrees
    .filter(({ gone, main }) => gone && !main)
    .map((one) => {
      const gone = { ...one, repository };
      const back = one.branch === null ? '' : `\`${bringBackCommand(gone, true)}\` brings it back, `;
      return cleanLine(`${one.path} no longer exists: ${back}\`${pruneCommand(gone)}\` removes git's entry`);
    });
}

/** Returns the command that writes the `.git` files of worktrees again. */
export function repairCommand(repository: string): string {
  return `${gitIn(repository)} repair`;
}
