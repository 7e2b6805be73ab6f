import { configDirectory, findConversation, listConversations, readRegistry } from '../../platform/claude/index.ts';
import {
  type Adoption,
  CatalogueError,
  type Conversation,
  isAsking,
  type Session,
  type SessionType,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { LaunchContext } from '../screen/launch-session.ts';
import { conversationInUse, otherHomeOf } from '../session/other-home.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { requireConversation } from '../session/session-conversation.ts';
import { requireLaunchFolders } from '../worktrees/require-there.ts';
import type { ListedSessions, Member } from './listed-sessions.ts';
import { newRecord } from './new-record.ts';

/** What a conversion needs besides the session. */
interface Converting {
  listed: ListedSessions;
  launch: Pick<LaunchContext, 'environment'>;
}

/**
 * Converts a session to the other type, with or without a terminal, and keeps its conversation. The process that has
 * the conversation open is ended first, because two processes would corrupt the conversation. For a dead session, the
 * conversion only changes the type that `restart` will start.
 * @throws CatalogueError already_running, not_adopted, no_such_conversation, and everything that a launch throws; in
 * that case the session has ended but is otherwise unchanged
 */
export function convertSession({ listed, launch }: Converting, member: Member, type: SessionType): Promise<Session> {
  const { actor } = member;
  return actor.mailbox.post(async () => {
    const { record } = actor;
    if (record.type === type) return actor.view();
    if (!record.adopted) throw new CatalogueError('not_adopted', undefined, { hint: `cbos adopt ${record.screenId}` });
    // Before any process is ended, this write proves that the change can be saved.
    actor.commit({});
    const isParked = actor.isParked();
    if (actor.isDead() && !isParked) {
      listed.retype(member, type);
      return actor.view();
    }
    if (!isParked) requireQuiet(member);
    await requireConversation(record, launch.environment, '');
    await requireLaunchFolders(launch.environment, record);
    actor.isChangingHands = true;
    try {
      await changeHands(listed, member, type);
    } finally {
      actor.isChangingHands = false;
    }
    return actor.view();
  });
}

async function changeHands(listed: ListedSessions, member: Member, type: SessionType): Promise<void> {
  const { actor } = member;
  const { type: before } = actor.record;
  // A parked session has no process to end.
  if (!actor.isParked()) await member.controls.release();
  if (actor.isDead() && !actor.isParked())
    throw new CatalogueError('session_dead', `${actor.slug} has ended since you sent the request`);
  listed.retype(member, type);
  try {
    await member.controls.launch();
  } catch (cause) {
    listed.retype(member, before);
    // A JSON session starts a process whenever it needs one, whereas a terminal session must be started now.
    if (before === 'screen') actor.intake.seeEnd();
    if (actor.isDead()) actor.intake.seeProcessAgain();
    throw cause;
  }
}

/** @throws CatalogueError already_running while the session is working or asking something */
export function requireQuiet({ actor }: Member): void {
  const { primary, detail, question } = actor.status.memory();
  const asks = isAsking({ primary, detail, question });
  if (primary !== 'active' && primary !== 'stuck' && !asks) return;
  throw new CatalogueError(
    'already_running',
    `${actor.slug} ${asks ? 'has an open question' : 'is in the middle of a turn'}`,
    {
      hint: asks
        ? `Answer it first with \`cbos answer ${actor.slug}\``
        : `\`cbos wait ${actor.slug}\` waits until it ends`,
      ...(question === null ? {} : { extra: { question } }),
    },
  );
}

export interface ConversationPlaces {
  listed: ListedSessions;
  launch: LaunchContext;
  registryDir: string;
  clock: Clock;
}

/** How many conversations a listing contains at most. */
const LISTED = 50;

/** Returns the Claude Code conversations on this machine that do not belong to any CBOS session. */
export async function otherConversations({ listed, launch, registryDir }: ConversationPlaces): Promise<Conversation[]> {
  const owned = new Set(listed.all().map(({ actor }) => actor.record.claudeSessionId));
  const running = await readRegistry(registryDir);
  // A conversation that is open in a session of another home is listed by that home.
  for (const { pid, sessionId } of running) {
    if (otherHomeOf(pid, launch.settings.home) !== null) owned.add(sessionId);
  }
  const found = await listConversations(configDirectory(launch.environment), LISTED + owned.size);
  return found
    .filter(({ sessionId }) => !owned.has(sessionId))
    .slice(0, LISTED)
    .map(({ sessionId, cwd, title, lastActivity }) => ({
      claude_session_id: sessionId,
      path: cwd,
      title,
      last_activity: new Date(lastActivity).toISOString(),
      pid: running.find((one) => one.sessionId === sessionId)?.pid ?? null,
    }));
}

/**
 * Adopts a conversation that CBOS did not start.
 * @throws CatalogueError no_such_conversation, already_adopted, session_in_use, no_such_path, invalid_request for
 * another path, and everything that a launch throws
 */
export async function adoptConversation(
  places: ConversationPlaces,
  request: Adoption & { resume: string; type: SessionType },
): Promise<Member> {
  const { listed, launch, registryDir, clock } = places;
  const id = request.resume;
  const owner = listed.all().find(({ actor }) => actor.record.claudeSessionId === id);
  if (owner !== undefined)
    throw new CatalogueError('already_adopted', `${owner.actor.slug} already has this conversation`);
  const found = await findConversation(configDirectory(launch.environment), id);
  if (found === null) throw new CatalogueError('no_such_conversation', `Claude Code has no conversation ${id}`);
  const open = (await readRegistry(registryDir)).find((one) => one.sessionId === id);
  if (open !== undefined) throw conversationInUse(launch.settings.home, open.pid);
  const path = await requireDirectory(found.cwd);
  if (request.path !== undefined && (await requireDirectory(request.path)) !== path) {
    throw new CatalogueError('invalid_request', `The conversation took place in ${path}`, {
      hint: 'Claude Code can continue it only there: leave out the path',
    });
  }
  const slug = request.slug ?? listed.freeSlug(path.split('/').at(-1) ?? '');
  return listed.claim(slug, async () => {
    const record = newRecord({ slug, type: request.type }, path, clock.now());
    const member = listed.add({ ...record, claudeSessionId: id });
    try {
      await member.controls.launch();
    } catch (cause) {
      listed.remove(member);
      throw cause;
    }
    return member;
  });
}
