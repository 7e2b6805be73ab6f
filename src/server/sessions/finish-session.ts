import { dirname } from 'node:path';
import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import { finishWorktree } from '../../platform/git/finish-worktree.ts';
import { isThere, isWorktreeThere } from '../../platform/git/repository.ts';
import { deleteAsides } from '../../platform/git/set-aside.ts';
import { descendantsOf, findMarked } from '../../platform/process/index.ts';
import {
  CatalogueError,
  type Finish,
  isInside,
  type PullRequest,
  type Session,
  type Worktree,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { LaunchContext } from '../screen/launch-session.ts';
import type { SessionActor } from '../session/actor.ts';
import { finishedError } from '../worktrees/require-there.ts';
import { requireWorktree } from '../worktrees/require-worktree.ts';
import { requireQuiet } from './convert-session.ts';
import type { ListedSessions, Member } from './listed-sessions.ts';
import { stopInTurn } from './stop-session.ts';

export interface FinishContext {
  listed: Pick<ListedSessions, 'all'>;
  /** the environment of the server's own process */
  environment: LaunchContext['environment'];
  clock: Clock;
  /** runs one finish at a time, because two finishes could merge into the same base */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Stops a session and finishes its worktree. If the worktree cannot be finished, the request is refused before anything
 * changes. If the server is killed halfway, a second call does the rest.
 * @throws CatalogueError no_worktree, session_alive, already_running, kill_failed, and everything that `finishWorktree`
 * throws
 */
export function finishSession(context: FinishContext, member: Member, request: Finish): Promise<Session> {
  const { actor } = member;
  // Runs in the session's mailbox, so that the session cannot be restarted, woken, or renamed at the same time.
  return actor.mailbox.post(() => context.inTurn(() => finishNow(context, member, request)));
}

async function finishNow(context: FinishContext, member: Member, request: Finish): Promise<Session> {
  const { environment, clock } = context;
  const { actor } = member;
  const { slug, launch, createdAt } = actor.record;
  const worktree = requireWorktree(slug, launch.worktree);
  if (worktree.finished !== undefined && !(await isThere(worktree.path))) return actor.view();
  requireStoppable(member, request.stop === true);
  requireNoOther(context.listed, member, worktree.path);
  // Before anything is done, this write proves that the change can be saved.
  actor.commit({});
  const place = { cwd: worktree.repository, environment };
  const plan = { session: slug, worktree, how: request.how, into: request.into ?? null, since: createdAt };
  const { saved, commit, isBranchKept, more, left, skippedHooks } = await finishWorktree(place, plan, {
    now: () => clock.now(),
    ownProcesses: () => processesOf(actor),
    stop: async () => {
      // The session may have begun a turn while the worktree was being checked.
      if (!actor.isDead()) requireQuiet(member);
      await stopInTurn(member, clock);
    },
  });
  const finished = {
    how: request.how,
    into: saved.into,
    commit,
    saved: saved.id,
    branch_kept: isBranchKept,
    ...more,
    left,
    ...(skippedHooks === undefined ? {} : { skipped_hooks: skippedHooks }),
    at: new Date(clock.now()).toISOString(),
  };
  // Somebody may have deleted the session in the meantime.
  if (actor.record.removedAt === null) {
    actor.update({ launch: { ...actor.record.launch, worktree: { ...worktree, finished } } });
  }
  return actor.view();
}

/**
 * Deletes what the previous server left of the folders of finished worktrees. Their files have been saved. If the
 * previous server did not complete a finish, the user has to run the command again, because only the command knows what
 * to do with the branch.
 */
export async function finishDeletions(
  { listed, environment, inTurn }: Pick<FinishContext, 'listed' | 'environment' | 'inTurn'>,
  log: Logger,
): Promise<void> {
  const worktreeOf = ({ actor }: Member): Worktree | undefined => actor.record.launch.worktree;
  const worktrees = listed.all().flatMap((member) => worktreeOf(member) ?? []);
  const roots = new Map(worktrees.map(({ path, repository }) => [dirname(path), repository]));
  for (const [folder, root] of roots) {
    try {
      const { deleted, left } = await inTurn(() => deleteAsides({ cwd: root, environment }, folder, null));
      if (deleted.length > 0) log.info({ deleted }, 'finished worktrees were deleted that an earlier server had left');
      if (left.length > 0) log.warn({ left }, 'finished worktrees cannot be deleted completely; all of it is saved');
      for (const member of listed.all()) {
        const { actor } = member;
        const worktree = worktreeOf(member);
        if (worktree?.finished === undefined || !deleted.includes(worktree.finished.left ?? '')) continue;
        const finished = { ...worktree.finished, left: null };
        actor.update({ launch: { ...actor.record.launch, worktree: { ...worktree, finished } } });
      }
    } catch (cause) {
      log.warn({ err: cause, folder }, 'the rest of finished worktrees could not be looked for');
    }
  }
}

/** @throws CatalogueError no_worktree */
export function keepPullRequest(actor: SessionActor, request: PullRequest): Session {
  const { slug, launch } = actor.record;
  const worktree = requireWorktree(slug, launch.worktree);
  actor.update({ launch: { ...launch, worktree: { ...worktree, pull_request: request } } });
  return actor.view();
}

/**
 * Checks before a restart that the session's worktree, if it was finished, has been recovered.
 * @throws CatalogueError no_such_path with the command that recovers it
 */
export async function requireRecovered(actor: SessionActor): Promise<void> {
  const { launch } = actor.record;
  const { worktree } = launch;
  if (worktree?.finished === undefined) return;
  if (await isWorktreeThere(worktree.path)) {
    const { finished: _, ...there } = worktree;
    actor.commit({ launch: { ...launch, worktree: prepareAgain(there) } });
    return;
  }
  throw finishedError(actor.slug, worktree.finished.saved);
}

/** Files that git ignores were deleted with the worktree, such as the packages that the set-up had installed. */
function prepareAgain(worktree: Worktree): Worktree {
  const { set_up: setUp } = worktree;
  const isOver = setUp?.state === 'done' || setUp?.state === 'failed';
  return isOver ? { ...worktree, set_up: { ...setUp, state: 'pending', exit_code: null } } : worktree;
}

/** @throws CatalogueError session_alive, already_running */
function requireStoppable(member: Member, isAskedTo: boolean): void {
  const { actor } = member;
  if (actor.isDead()) return;
  requireQuiet(member);
  if (isAskedTo) return;
  throw new CatalogueError('session_alive', `${actor.slug} is running in its worktree`, {
    hint: `Stop it first with \`cbos stop ${actor.slug}\`, or set \`stop\` in the request`,
  });
}

/** Even if the other session has no process now, its next turn would work in this worktree. */
function requireNoOther(listed: FinishContext['listed'], { actor: own }: Member, folder: string): void {
  const others = listed.all().flatMap(({ actor }) => {
    const { slug, path, reported } = actor.record;
    const isHere = isInside(path, folder) || isInside(reported.place, folder);
    return actor !== own && isHere && (!actor.isDead() || actor.isParked()) ? [slug] : [];
  });
  if (others.length === 0) return;
  throw new CatalogueError('worktree_in_use', `Other sessions work in ${folder}: ${others.join(', ')}`, {
    hint: `\`cbos stop ${others[0]}\` stops one; nothing was changed`,
  });
}

async function processesOf(actor: SessionActor): Promise<ReadonlySet<number>> {
  const { agent, daemon, launchId } = actor.record;
  const roots = [agent, daemon].flatMap((one) => (one === null || actor.isDead() ? [] : [one.pid]));
  const marked = launchId === null ? [] : await findMarked({ name: LAUNCH_VARIABLE, value: launchId });
  const below = await descendantsOf(roots);
  return new Set([...roots, ...[...marked, ...below].map(({ pid }) => pid)]);
}
