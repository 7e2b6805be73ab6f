import { findGone, findGoneAround, goneError } from '../../platform/git/gone-worktree.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, isInside, type Worktree } from '../../protocol/index.ts';
import { requireDirectory } from '../fleet/require-directory.ts';
import { arguedWorktree } from './argued-worktree.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Asked {
  slug: string;
  /** the folder that is about to be used */
  folder: string;
  worktree: Worktree | undefined;
  /** the main checkout of the session's repository, if it is known */
  repository?: string | null | undefined;
}

/**
 * Refuses a folder whose worktree was deleted by hand. Claude Code and git would work in the main checkout instead,
 * which contains the place of the worktree.
 * @throws CatalogueError no_such_path with the command that brings the folder back
 */
export async function requireThere(environment: Environment, asked: Asked): Promise<void> {
  const { slug, folder, worktree, repository } = asked;
  const isRecorded = worktree !== undefined && isInside(folder, worktree.path);
  const gone = isRecorded
    ? await findGone(environment, worktree)
    : await findGoneAround(environment, folder, repository ?? null);
  if (gone === null) return;
  if (isRecorded && worktree.finished !== undefined) throw finishedError(slug, worktree.finished.saved);
  throw goneError('no_such_path', gone, slug);
}

/** Returns the error for a session whose worktree is already finished. */
export function finishedError(slug: string, saved: string): CatalogueError {
  return new CatalogueError('no_such_path', `The worktree of ${slug} is already finished`, {
    hint: `\`cbos recover ${saved}\` restores it`,
  });
}

/**
 * Refuses to start Claude Code for a session if the folder in which it would start, or the worktree to which its
 * conversation would return, no longer exists. If that worktree is gone, Claude Code continues in the folder of the
 * launch without a word, unless an argument names the worktree (2.1.330).
 * @throws CatalogueError no_such_path
 */
export async function requireLaunchFolders(
  environment: Environment,
  { slug, path, launch, reported: { place } }: Pick<SessionRecord, 'slug' | 'path' | 'launch' | 'reported'>,
): Promise<void> {
  if (path === null) return;
  await requireThere(environment, { slug, folder: path, worktree: launch.worktree });
  await requireDirectory(path).catch((cause: unknown) => {
    if (!(cause instanceof CatalogueError)) throw cause;
    const again = 'Create the folder again; if it was a worktree, run `git worktree add PATH BRANCH` in its repository';
    throw new CatalogueError('no_such_path', cause.message, { hint: again });
  });
  if (place === null) return;
  const gone = await findGoneAround(environment, place, path);
  if (gone === null || gone.path === (await arguedWorktree(launch.args, path))) return;
  const { hint } = goneError('no_such_path', gone, null);
  throw new CatalogueError('no_such_path', `${gone.message}, and ${slug} last worked there`, {
    hint: `${hint}; ${slug} then starts in ${path}`,
    extra: { worktree: gone.path },
  });
}
