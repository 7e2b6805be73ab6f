import { findGoneAround, goneError } from '../../platform/git/gone-worktree.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, type NewSession, type Session, type SessionType } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import type { Clock } from '../clock.ts';
import type { LaunchContext } from '../screen/launch-session.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { arguedWorktree } from '../worktrees/argued-worktree.ts';
import { withEquipment } from '../worktrees/equip-worktree.ts';
import { placeSession, type SessionPlace } from '../worktrees/place-session.ts';
import type { Ports } from '../worktrees/ports.ts';
import { requireUnclaimed } from '../worktrees/require-unclaimed.ts';
import { usersOf } from '../worktrees/users.ts';
import { checkArguments, withPlannedArguments } from './check-arguments.ts';
import { assertSlug, type ListedSessions, type Member } from './listed-sessions.ts';
import { newRecord } from './new-record.ts';

export interface CreateContext {
  listed: ListedSessions;
  launch: LaunchContext;
  clock: Clock;
  ports: Ports;
}

/**
 * Launches a new session, in a new worktree if the request names one.
 * @throws CatalogueError if the request or the launch is refused; neither a session nor a worktree is left behind
 */
export async function createSession(
  { listed, launch, clock, ports }: CreateContext,
  requested: NewSession & { type: SessionType },
): Promise<Session> {
  assertSlug(requested.slug);
  const gone = await findGoneAround(launch.environment, requested.path);
  if (gone !== null) throw goneError('no_such_path', gone, null);
  const asked = await requireDirectory(requested.path);
  await checkArguments(requested.type, requested.args ?? [], asked);
  const request = withPlannedArguments(requested);
  return listed.claim(request.slug, async () => {
    await requireNobodyIn(listed, await arguedWorktree(request.args ?? [], asked));
    if (request.worktree === undefined && request.same_folder !== true) {
      await requireUnclaimed(
        listed.all().map(({ actor }) => actor),
        asked,
        request.slug,
      );
    }
    const place = await placeSession(launch.environment, { ...request, path: asked }).catch(async (cause: unknown) => {
      throw await offerWorktree(listed, { ...request, path: asked }, cause);
    });
    if (request.worktree?.existing === true) await requireNobodyIn(listed, place.worktree?.path ?? null);
    const wantsSetUp = request.worktree?.set_up ?? request.worktree?.existing !== true;
    return withEquipment({ setUps: launch.setUps, ports }, { place, wantsSetUp }, (made) => {
      const record = newRecord({ ...request, made }, place.path, clock.now());
      return launchFirst(listed, { record, place, prompt: request.prompt });
    });
  });
}

/**
 * Lists a session and launches it for the first time. The caller has reserved the session's name.
 * @throws CatalogueError if the launch is refused; neither the session nor the worktree made for it is left behind
 */
export async function launchFirst(
  listed: ListedSessions,
  { record, place, prompt }: { record: SessionRecord; place: Pick<SessionPlace, 'undo'>; prompt: string | undefined },
): Promise<Session> {
  let member: Member | null = null;
  try {
    member = listed.add(record);
    // The text is held until the session is ready for it. A terminal session is ready once it has started, and a JSON
    // session as soon as it is listed.
    if (prompt !== undefined) await member.controls.deliverer.send({ text: prompt, queue: true });
    await member.controls.launch();
  } catch (cause) {
    if (member !== null) listed.remove(member);
    await place.undo();
    throw cause;
  }
  member.actor.list();
  return member.actor.view();
}

type Rostered = Pick<ListedSessions, 'all'>;

async function sessionsIn(listed: Rostered, folder: string): Promise<string[]> {
  const sessions = listed.all().map(async ({ actor: { slug, record } }) => {
    const argued = await arguedWorktree(record.launch.args, record.path);
    return { slug, path: record.path, place: record.reported.place, argued };
  });
  return (await usersOf([folder], await Promise.all(sessions))).get(folder) ?? [];
}

/**
 * Ensures that no session works in a worktree, or will work in it from its first prompt on because its arguments name
 * it with Claude Code's own `--worktree`.
 * @throws CatalogueError worktree_in_use
 */
async function requireNobodyIn(listed: Rostered, worktree: string | null): Promise<void> {
  const [other] = worktree === null ? [] : await sessionsIn(listed, worktree);
  if (other !== undefined && worktree !== null) throw inUse(other, worktree);
}

function inUse(other: string, path: string): CatalogueError {
  return new CatalogueError('worktree_in_use', `The session ${other} works in ${path}`, {
    hint: `\`cbos rm ${other}\` deletes that session and keeps its files; \`cbos fork ${other}\` works on a copy`,
  });
}

/** If the branch is checked out in a worktree that no session uses, the error offers that worktree. */
async function offerWorktree(
  listed: Rostered,
  { slug, path, worktree: asked }: NewSession,
  cause: unknown,
): Promise<unknown> {
  if (!(cause instanceof CatalogueError) || cause.code !== 'branch_in_use' || asked?.from !== undefined) return cause;
  const { worktree, usable } = cause.extra;
  if (typeof worktree !== 'string' || usable !== true) return cause;
  const [other] = await sessionsIn(listed, worktree);
  if (other !== undefined) {
    return new CatalogueError('branch_in_use', `${cause.message}, where the session ${other} works`, {
      ...{ hint: `\`cbos fork ${other} ${slug}\` works on a copy`, extra: { worktree, sessions: [other] } },
    });
  }
  const branch = asked?.branch ?? slug;
  return new CatalogueError('branch_in_use', `${cause.message}, which no session uses`, {
    hint: `\`cbos new ${slug} ${shellWord(path)} --worktree ${shellWord(branch)} --existing\` starts a session there`,
    extra: { worktree, free: true, branch },
  });
}
