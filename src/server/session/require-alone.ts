import { LAUNCH_VARIABLE, readRegistry, registryIn } from '../../platform/claude/index.ts';
import { endTree } from '../../platform/process/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, type Settings } from '../../protocol/index.ts';
import type { SessionActor } from './actor.ts';
import { conversationInUse } from './other-home.ts';

/**
 * Ensures that no process has a conversation open before another one opens it, because two processes would corrupt the
 * transcript. Processes left over from an earlier launch of this session are ended. If any other process has the
 * conversation open, the error names its session or, if CBOS does not list it, the process.
 * @throws CatalogueError session_in_use, kill_failed
 */
export async function requireAlone(context: OwnerContext, record: SessionRecord): Promise<void> {
  const { claudeSessionId, launchId, reported } = record;
  if (launchId !== null) {
    const { left } = await endTree({ roots: [], mark: { name: LAUNCH_VARIABLE, value: launchId } });
    if (left.length > 0) throw new CatalogueError('kill_failed', `Process ${left[0]?.pid} could not be terminated`);
  }
  if (claudeSessionId === null) return;
  const own = reported.configDir === null ? [] : [registryIn(reported.configDir)];
  const running = await Promise.all([...new Set([context.registryDir, ...own])].map(readRegistry));
  const other = running.flat().find((one) => one.sessionId === claudeSessionId);
  if (other === undefined) return;
  const owner = context.ownerOf(claudeSessionId, { record });
  if (owner === null) throw conversationInUse(context.settings.home, other.pid);
  throw new CatalogueError('session_in_use', `The session ${owner} has the conversation open`, {
    hint: `\`cbos send ${owner} TEXT\` continues it there; \`cbos stop ${owner}\` closes it, then try again`,
  });
}

/**
 * Ensures that a conversation which a user's arguments choose is not open elsewhere. Claude Code itself would write two
 * branches into one transcript without a warning (2.1.330).
 * @throws CatalogueError session_in_use
 */
export async function requireFree(context: FreeContext, conversation: string): Promise<void> {
  const { settings, registryDir, actor } = context;
  const owner = context.ownerOf(conversation, actor);
  if (owner !== null) {
    throw new CatalogueError('session_in_use', `The session ${owner} has the conversation open`, {
      hint: `\`cbos send ${owner} TEXT\` continues it there; \`cbos fork ${owner} ${actor.slug}\` continues a copy`,
    });
  }
  const other = (await readRegistry(registryDir)).find((one) => one.sessionId === conversation);
  if (other !== undefined) throw conversationInUse(settings.home, other.pid);
}

interface OwnerContext {
  settings: Pick<Settings, 'home'>;
  registryDir: string;
  /** returns the name of another session of this home that has a conversation open or is parked with it */
  ownerOf(conversation: string, session: Pick<SessionActor, 'record'>): string | null;
}

interface FreeContext extends OwnerContext {
  actor: SessionActor;
}
