import { isUnused } from '../../platform/claude/index.ts';
import type { Reported } from '../../platform/sqlite/reported.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, type RestartedSession, type Session, type SessionPatch } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { ConversationSource } from '../session/controls.ts';
import { resumeQueue } from '../session/queue-stop.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { showingMissing, withoutConversation } from '../session/session-conversation.ts';
import type { Restart } from '../sessions.ts';
import { findGonePlace } from '../worktrees/require-there.ts';
import { requireRecovered } from './finish-session.ts';
import { assertSlug, type ListedSessions, type Member } from './listed-sessions.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Renames a session, or changes the folder in which it will start next time. */
export async function changeSession(
  listed: ListedSessions,
  member: Member,
  { slug, ...patch }: SessionPatch,
): Promise<Session> {
  if (slug !== undefined) assertSlug(slug);
  const path = patch.path === undefined ? null : await requireDirectory(patch.path);
  const { actor, controls } = member;
  return actor.mailbox.post(async () => {
    if (slug !== undefined) await rename(listed, member, slug);
    if (path !== null) {
      // A user has allowed the session to share only its earlier folder.
      const { same_folder: _, ...launch } = actor.record.launch;
      actor.commit({ path, launch });
      await controls.moved();
    }
    return actor.view();
  });
}

async function rename(listed: ListedSessions, { actor, controls }: Member, slug: string): Promise<void> {
  if (slug === actor.slug) return;
  await listed.claim(slug, async () => {
    const from = actor.slug;
    await controls.rename(slug);
    actor.deps.emit({ kind: 'renamed', from, session: actor.view() });
  });
}

/**
 * Restarts a stopped session. The session continues its conversation, unless a new one is requested. For a JSON session
 * that is not running a turn, a new conversation or its own folder can be requested without stopping the session.
 * @throws CatalogueError session_alive, no_such_path, no_such_conversation, and every error with which a launch is
 * refused; the session then keeps the conversation that it had
 */
export function restartSession(
  environment: Environment,
  { actor, controls }: Member,
  { isNewConversation = false, isSameFolder = false, isInStartFolder = false }: Restart = {},
): Promise<RestartedSession> {
  return actor.mailbox.post(async () => {
    if (!actor.isDead()) {
      if (isNewConversation && keepOther(actor)) return { ...actor.view(), conversation: 'new' };
      if (!(isNewConversation || isInStartFolder) || actor.record.type !== 'json') throw isAlive(actor);
      await controls.release({ canLose: isNewConversation });
    }
    await requireRecovered(actor);
    const { claudeSessionId, reported, launch } = actor.record;
    if (isSameFolder) actor.commit({ launch: { ...launch, same_folder: true } });
    if (isInStartFolder) actor.commit({ reported: await withoutGonePlace(environment, actor.record) });
    if (isNewConversation) actor.commit(withoutConversation(actor.record));
    let source: ConversationSource;
    try {
      source = await showingMissing(actor, controls.launch);
    } catch (cause) {
      if (isNewConversation || isSameFolder || isInStartFolder) actor.update({ claudeSessionId, reported, launch });
      throw cause;
    }
    if (isNewConversation && actor.record.queueStoppedAt !== null) resumeQueue(actor);
    const { transcript } = actor.record.reported;
    const isEmpty = source === 'continued' && transcript !== null && (await isUnused(transcript));
    return { ...actor.view(), conversation: source, ...(isEmpty ? { conversation_empty: true } : {}) };
  });
}

/** A place that still exists is kept, because Claude Code returns there. */
async function withoutGonePlace(environment: Environment, record: SessionRecord): Promise<Reported> {
  const isGone = (await findGonePlace(environment, record)) !== null;
  return isGone ? { ...record.reported, place: null } : record.reported;
}

/** A JSON session has a process only while it works. Its last process may have crashed. */
function isAlive({ slug, record }: SessionActor): CatalogueError {
  if (record.agent !== null || record.type === 'screen')
    return new CatalogueError('session_alive', `${slug} is running`);
  return new CatalogueError('session_alive', `${slug} has no process to restart: its next prompt starts one`, {
    hint: `cbos send ${slug} TEXT`,
  });
}

/** Keeps the conversation that Claude Code has begun instead of continuing the session's own, if it has. */
function keepOther(actor: SessionActor): boolean {
  const { record } = actor;
  const { instead, configDir, place } = record.reported;
  if (record.type !== 'screen' || instead === null) return false;
  actor.commit({ ...withoutConversation(record), claudeSessionId: instead });
  actor.update({ reported: { ...actor.record.reported, configDir, place } });
  actor.lookAgain();
  return true;
}

/** Ends a session if it is running, and deletes it. */
export async function removeSession(listed: ListedSessions, member: Member): Promise<void> {
  const { actor, controls } = member;
  // The deletion is saved before the processes are ended, so that on a full disk, the request fails before anything has
  // been done.
  actor.commit({ removedAt: actor.deps.clock.now() });
  try {
    if (!actor.isDead()) await controls.end();
  } catch (cause) {
    actor.update({ removedAt: null });
    throw cause;
  }
  listed.remove(member);
}
