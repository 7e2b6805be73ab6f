import { stat } from 'node:fs/promises';
import type { Conversed } from '../../core/delivery/seen.ts';
import { isRepeatable } from '../../core/launch/index.ts';
import { hasEndedItself } from '../../core/restore/loss.ts';
import { planRestore, type RestorePlan, type RestoreSeen } from '../../core/restore/plan.ts';
import { readLaunchMark, readRegistry, registryIn } from '../../platform/claude/index.ts';
import { isWorktreeThere } from '../../platform/git/repository.ts';
import type { LostSession } from '../../platform/sqlite/session-store.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { notContinuedError } from '../session/continued.ts';
import { seeDelivery } from '../session/see-delivery.ts';
import { configDirectoriesOf, findConversationOf } from '../session/session-conversation.ts';
import { findGonePlace } from '../worktrees/require-there.ts';

/**
 * How long to wait until a restored session shows its prompt or a dialog. A launch takes 1 to 3 s. On an overloaded
 * machine, the next launch begins when this time is up.
 */
const SETTLE_MS = 30_000;

export interface RestoreOptions {
  actor: SessionActor;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  /** reports whether another session of this home owns this session's conversation */
  isShared(actor: SessionActor): boolean;
  /** ends all processes of the session, and verifies that they are gone */
  end(): Promise<void>;
  /** starts the session again, continuing its conversation */
  launch(): Promise<unknown>;
  /** runs `work` when its turn comes, because only a few launches may run at a time */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Restores one lost session. If a second caller requests the same, it waits for the first and then finds the session
 * running.
 */
export interface Restore {
  /** @param isByItself whether the server restores the session on its own, without a request from a person */
  plan(isByItself: boolean): Promise<RestorePlan>;
  /**
   * Makes the plan again, and then launches the session. Resolves when the session shows its prompt or a dialog.
   * @throws CatalogueError launch_failed, session_in_use, kill_failed, and everything that a launch throws; the session
   * then stays lost
   */
  restore(isByItself: boolean): Promise<RestorePlan>;
}

export function createRestore(options: RestoreOptions): Restore {
  const { actor, environment, isShared, end, launch, inTurn } = options;

  async function plan(isByItself: boolean): Promise<RestorePlan> {
    const { claudeSessionId, path, type, adopted, loss, launch: asked } = actor.record;
    const isOpen = claudeSessionId !== null && (await isRunning(claudeSessionId));
    const start = await folderOf(path, asked.worktree?.path ?? null);
    const isPlaceGone = start === 'there' && (await findGonePlace(environment, actor.record)) !== null;
    const folder = isPlaceGone ? 'worktree_gone' : start;
    const conversation = await findConversationOf(actor.record, environment);
    return planRestore({
      type,
      isDead: actor.isDead(),
      isParked: actor.isParked(),
      isAdopted: adopted,
      loss: loss?.because ?? null,
      tries: loss?.tries ?? 0,
      isByItself,
      folder,
      isRepeatable: isRepeatable(asked.args),
      isShared: isShared(actor),
      isOpen,
      // A fork that was never prompted can still continue the conversation from which it was forked.
      hasConversation: conversation !== null && conversation.kind !== 'new',
      isGone: conversation === null,
      wasBlank: loss?.wasBlank ?? false,
    });
  }

  /**
   * Reports whether any process has the conversation open. Processes that remain from an earlier launch of this session
   * do not count, because the new launch ends them first.
   */
  async function isRunning(conversation: string): Promise<boolean> {
    const { launchId } = actor.record;
    const isOwn = (pid: number): boolean => launchId !== null && readLaunchMark(pid)?.launchId === launchId;
    const dirs = configDirectoriesOf(actor.record, environment).map(registryIn);
    const running = (await Promise.all(dirs.map(readRegistry))).flat();
    return running.some(({ sessionId, pid }) => sessionId === conversation && !isOwn(pid));
  }

  /**
   * Launches the session, and counts the attempt. The attempt is saved before the launch, so that a server that dies
   * during every attempt does not keep trying forever.
   */
  async function restoreNow(isByItself: boolean): Promise<{ planned: RestorePlan; loss: LostSession | null }> {
    const planned = await plan(isByItself);
    const { loss } = actor.record;
    if (planned.kind === 'left' || loss === null) return { planned, loss: null };
    const tried = { ...loss, tries: loss.tries + 1 };
    actor.commit({ loss: tried });
    await launch();
    // Somebody has deleted the session in the meantime, so it must not keep running.
    if (actor.record.removedAt !== null) await end();
    return { planned, loss: tried };
  }

  return {
    plan,
    restore: async (isByItself) => {
      const { planned, loss } = await actor.mailbox.post(() => inTurn(() => restoreNow(isByItself)));
      if (loss === null) return planned;
      const conversed = (): Conversed => seeDelivery(actor).conversed;
      const isSettled = (): boolean => actor.status.memory().primary !== null && conversed() !== 'awaited';
      await actor.status.until(() => actor.isDead() || isSettled(), SETTLE_MS);
      if (conversed() === 'another') throw notContinuedError(actor);
      const { stopAskedAt, removedAt } = actor.record;
      const { ended } = actor.status.evidence().hooks;
      const isMeant = stopAskedAt !== null || removedAt !== null || hasEndedItself(ended?.reason ?? null);
      if (!actor.isDead() || isMeant) return planned;
      actor.update({ loss });
      throw new CatalogueError('launch_failed', `${actor.slug} ended again as soon as it started`, {
        hint: `\`cbos buffer ${actor.slug}\` prints its last output`,
      });
    },
  };
}

async function folderOf(path: string | null, worktree: string | null): Promise<RestoreSeen['folder']> {
  if (worktree !== null && !(await isWorktreeThere(worktree))) return 'worktree_gone';
  const found = path === null ? null : await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return 'there';
  return worktree === null ? 'gone' : 'worktree_gone';
}
