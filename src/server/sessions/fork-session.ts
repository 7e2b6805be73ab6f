import { forkedArguments } from '../../core/launch/index.ts';
import { canFork, type ForkedConversation } from '../../platform/claude/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, type Fork, type Session } from '../../protocol/index.ts';
import type { LaunchContext } from '../screen/launch-session.ts';
import type { SessionActor } from '../session/actor.ts';
import { placeOfRecord } from '../session/place.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { requireConversation } from '../session/session-conversation.ts';
import { withEquipment } from '../worktrees/equip-worktree.ts';
import { placeFork, type SessionPlace } from '../worktrees/place-session.ts';
import { requireThere } from '../worktrees/require-there.ts';
import { type CreateContext, launchFirst } from './create-session.ts';
import { assertSlug, type Member } from './listed-sessions.ts';
import { newRecord } from './new-record.ts';
import { whileQuiet } from './turn-of-session.ts';

/**
 * Launches a session that continues a copy of another session's conversation, in a worktree with a copy of that
 * session's files. Claude Code itself copies the conversation. The original does not change. While the original is
 * working or asking something, the request is refused, because its conversation and its files may be incomplete.
 * @throws CatalogueError already_running, no_such_conversation, no_such_path, and everything that `createSession`
 * throws; neither a session nor a worktree is left behind
 */
export function forkSession(context: CreateContext, member: Member, request: Fork): Promise<Session> {
  const { listed, launch, clock, ports } = context;
  assertSlug(request.slug);
  return whileQuiet(member, () =>
    listed.claim(request.slug, async () => {
      const { actor } = member;
      const folder = placeOfRecord(actor.record) ?? '';
      await requireThere(launch.environment, { slug: actor.slug, folder, worktree: actor.record.launch.worktree });
      const path = await requireDirectory(folder);
      const { type, launch: asked, claudeVersion } = actor.record;
      if (!canFork(claudeVersion))
        throw new CatalogueError('launch_failed', `Claude Code ${claudeVersion} cannot fork a conversation`);
      const fork = await requireOriginal(launch, actor, path);
      const place = await placeOf(launch, actor, { ...request, path });
      return withEquipment({ setUps: launch.setUps, ports }, { place, wantsSetUp: true }, (worktree) => {
        const record = newRecord({ slug: request.slug, type }, place.path, clock.now());
        const forked: SessionRecord = {
          ...record,
          launch: {
            ...asked,
            args: forkedArguments(asked.args),
            fork,
            same_folder: request.same_folder,
            trusted_folder: request.same_folder === true ? asked.trusted_folder : null,
            worktree: worktree === null ? undefined : { ...worktree, base: asked.worktree?.base ?? worktree.base },
          },
        };
        return launchFirst(listed, { record: forked, place, prompt: request.prompt });
      });
    }),
  );
}

async function placeOf(
  { environment }: LaunchContext,
  { slug }: SessionActor,
  request: Fork & { path: string },
): Promise<SessionPlace> {
  const { path, slug: name, branch } = request;
  if (request.same_folder === true) return { path, worktree: null, undo: async () => undefined };
  return placeFork(environment, { path, name, branch: branch ?? null }).catch((cause: unknown) => {
    if (!(cause instanceof CatalogueError) || cause.code !== 'not_a_repository') throw cause;
    throw new CatalogueError(
      'not_a_repository',
      `${slug} doesn't work in a git repository, so it cannot have a worktree`,
      {
        hint: `\`cbos fork ${slug} ${name} --same-folder\` lets both sessions work on the same files`,
      },
    );
  });
}

/**
 * Returns the id of the conversation to copy. A fork that was never prompted has no transcript yet, so a fork of that
 * fork copies the first original's conversation.
 * @throws CatalogueError no_such_conversation
 */
async function requireOriginal(
  { environment }: LaunchContext,
  actor: SessionActor,
  path: string,
): Promise<ForkedConversation> {
  const { slug, record } = actor;
  const found = await requireConversation(record, environment, '');
  if (found.kind === 'resume') return { sessionId: found.sessionId, cwd: path };
  if (found.kind === 'fork' && record.launch.fork !== undefined) return record.launch.fork;
  const isStopped = record.type === 'screen' && actor.isDead() && !actor.isParked();
  const restart = isStopped ? `\`cbos restart ${slug}\` launches it with its own arguments, then ` : '';
  const begins = `${restart}\`cbos send ${slug} TEXT\` begins one`;
  throw new CatalogueError('no_such_conversation', `${slug} has no conversation yet`, {
    hint: begins,
  });
}
