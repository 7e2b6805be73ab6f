import {
  configDirectoryOfProcess,
  isConversationId,
  isTranscriptOf,
  type SpooledHook,
} from '../../platform/claude/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Logger } from '../logger.ts';
import { configDirectoriesOf } from '../session/session-conversation.ts';

/** The facts about a session's conversation. */
interface Conversing {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'agent' | 'claudeSessionId' | 'launch' | 'reported'>;
  isDead(): boolean;
}

interface Among {
  readonly listed: { all(): readonly { readonly actor: Conversing }[] };
  /** the environment of the server's own process */
  readonly environment: Parameters<typeof configDirectoriesOf>[1];
  readonly log: Logger;
}

/**
 * Filters what a hook reports about the conversation, because any process inside a session can write hook payloads
 * itself. A report counts only if it can be about this session's own conversation.
 */
export function ownPayload(
  { listed, environment, log }: Among,
  session: Conversing,
  payload: SpooledHook['payload'],
): SpooledHook['payload'] {
  const { session_id: sessionId, transcript_path: transcript, ...rest } = payload;
  const isOthers = listed
    .all()
    .some(({ actor: other }) => other !== session && !other.isDead() && other.record.claudeSessionId === sessionId);
  if (typeof sessionId !== 'string' || !isConversationId(sessionId) || isOthers) {
    log.warn({ slug: session.slug, sessionId }, 'a hook reported a conversation that does not belong to its session');
    return rest;
  }
  const { agent } = session.record;
  // A wrapper may have given Claude Code a configuration directory of its own, which its own environment shows.
  const chosen = agent === null ? null : configDirectoryOfProcess(agent.pid);
  const configDirs = [...configDirectoriesOf(session.record, environment), ...(chosen === null ? [] : [chosen])];
  const isOwn = typeof transcript === 'string' && isTranscriptOf(transcript, { configDirs, sessionId });
  return { ...rest, session_id: sessionId, ...(isOwn ? { transcript_path: transcript } : {}) };
}
