import { enteredWorktree } from '../../platform/claude/index.ts';
import { findMainCheckout } from '../../platform/git/git-dir.ts';
import { findGone, findGoneAround, type GoneWorktree, goneError } from '../../platform/git/gone-worktree.ts';
import { isThere, isWorktreeThere } from '../../platform/git/repository.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, isInside, type Worktree } from '../../protocol/index.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { findConversationOf } from '../session/session-conversation.ts';
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

type Launching = Pick<SessionRecord, 'slug' | 'path' | 'launch' | 'reported' | 'claudeSessionId'>;

/**
 * Refuses to start Claude Code for a session if the folder in which it would start, or the worktree to which its
 * conversation would return, no longer exists.
 * @throws CatalogueError no_such_path
 */
export async function requireLaunchFolders(environment: Environment, record: Launching): Promise<void> {
  const { slug, path, launch } = record;
  if (path === null) return;
  await requireThere(environment, { slug, folder: path, worktree: launch.worktree });
  await requireDirectory(path).catch((cause: unknown) => {
    if (!(cause instanceof CatalogueError)) throw cause;
    const again = 'Create the folder again; if it was a worktree, run `git worktree add PATH BRANCH` in its repository';
    throw new CatalogueError('no_such_path', cause.message, { hint: again });
  });
  const gone = await findGonePlace(environment, record);
  if (gone === null) return;
  throw new CatalogueError('no_such_path', `${gone.message}, and ${slug} last worked there`, {
    hint: `${gone.cure}. If you do not need the folder, \`cbos restart ${slug} --start-folder\` starts ${slug} in ${path}`,
    extra: { worktree: gone.path },
  });
}

/**
 * Returns the worktree to which a session's conversation would return if it still existed; null if it exists. If that
 * worktree is gone, Claude Code continues in the folder of the launch without a word, unless an argument names the
 * worktree (2.1.330).
 */
export async function findGonePlace(
  environment: Environment,
  record: Launching,
): Promise<Pick<GoneWorktree, 'path' | 'message' | 'cure'> | null> {
  const { path, launch, reported } = record;
  const { place } = reported;
  if (path === null || place === null || (await isWorktreeThere(place))) return null;
  const gone = (await findGoneAround(environment, place, path)) ?? (await findForgotten(environment, record, place));
  return gone === null || gone.path === (await arguedWorktree(launch.args, path)) ? null : gone;
}

/** Finds a worktree that git has forgotten, for example after `git worktree remove`. The conversation names it. */
async function findForgotten(
  environment: Environment,
  record: Launching,
  place: string,
): Promise<Pick<GoneWorktree, 'path' | 'message' | 'cure'> | null> {
  const conversation = await findConversationOf(record, environment);
  const entered = conversation?.kind === 'resume' ? await enteredWorktree(conversation.transcript) : null;
  if (entered === null || !isInside(place, entered.path)) return null;
  const { path, from, branch } = entered;
  if (branch !== null)
    return findGone(environment, { path, branch, repository: (await findMainCheckout(from)) ?? from });
  if (await isThere(path)) return null;
  return { path, message: `The worktree ${path} no longer exists`, cure: 'Create the folder again' };
}
