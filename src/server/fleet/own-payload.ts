import { dirname } from 'node:path';
import { configDirectory, isConversationId, isTranscriptOf, type SpooledHook } from '../../platform/claude/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Logger } from '../logger.ts';

/** The facts about a session's conversation. */
interface Conversing {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'claudeSessionId' | 'launch'>;
  isDead(): boolean;
}

interface Among {
  readonly roster: { all(): readonly { readonly actor: Conversing }[] };
  /** the directory of Claude Code's registry: `sessions` in Claude Code's configuration directory */
  readonly registryDir: string;
  readonly log: Logger;
}

/**
 * Filters what a hook reports about the conversation, because any process inside a session can write hook payloads
 * itself. A report counts only if it can be about this session's own conversation.
 */
export function ownPayload(
  { roster, registryDir, log }: Among,
  session: Conversing,
  payload: SpooledHook['payload'],
): SpooledHook['payload'] {
  const { session_id: sessionId, transcript_path: transcript, ...rest } = payload;
  const isOthers = roster
    .all()
    .some(({ actor: other }) => other !== session && !other.isDead() && other.record.claudeSessionId === sessionId);
  if (typeof sessionId !== 'string' || !isConversationId(sessionId) || isOthers) {
    log.warn({ slug: session.slug, sessionId }, 'a hook reported a conversation that does not belong to its session');
    return rest;
  }
  const { env } = session.record.launch;
  const hasOwnHome = env.CLAUDE_CONFIG_DIR !== undefined || env.HOME !== undefined;
  const configDir = hasOwnHome ? configDirectory(env) : dirname(registryDir);
  const isOwn = typeof transcript === 'string' && isTranscriptOf(transcript, { configDir, sessionId });
  return { ...rest, session_id: sessionId, ...(isOwn ? { transcript_path: transcript } : {}) };
}
