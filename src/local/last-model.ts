import { configDirectory, isConversationId, transcriptFile } from '../platform/claude/own-files.ts';
import { readTailNow } from '../platform/files/read-tail.ts';
import { placeOf } from '../protocol/place.ts';
import type { Session } from '../protocol/session.ts';

/**
 * How many bytes at the end of a transcript are searched. If the last answer or tool result is longer than this, the
 * model is not found.
 */
const TAIL_BYTES = 65_536;

/**
 * Returns, by slug, the model that gave the last answer in each terminal session, according to Claude Code's own
 * transcripts. The model that a session was launched with may be out of date, because `/model` changes it. Sessions of
 * another home, and sessions without an answer, are omitted.
 */
export function readLastModels(
  environment: Readonly<Record<string, string | undefined>>,
  sessions: readonly Session[],
): ReadonlyMap<string, string> {
  const configDir = configDirectory(environment);
  const models = new Map<string, string>();
  for (const session of sessions) {
    const { slug, type, claude_session_id: sessionId } = session;
    // Claude Code moves the transcript when the session moves.
    const cwd = placeOf(session);
    if (type !== 'screen' || cwd === null || sessionId === null || !isConversationId(sessionId)) continue;
    const model = lastModelIn(transcriptFile({ configDir, cwd, sessionId }));
    if (model !== undefined) models.set(slug, model);
  }
  return models;
}

function lastModelIn(transcript: string): string | undefined {
  try {
    const lines = readTailNow(transcript, TAIL_BYTES).split('\n');
    return lines.map(modelOf).findLast((one) => one !== null) ?? undefined;
  } catch {
    return undefined; // a transcript that cannot be read
  }
}

/** Returns null if the line is cut off, is not an answer, or is one of Claude Code's own messages (`<synthetic>`). */
function modelOf(line: string): string | null {
  if (!line.includes('"assistant"')) return null;
  try {
    const { type, message } = JSON.parse(line) as { type?: unknown; message?: { model?: unknown } | null };
    const model = type === 'assistant' ? message?.model : null;
    return typeof model === 'string' && !model.startsWith('<') ? model : null;
  } catch {
    return null;
  }
}
