import { createReadStream } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { type ConversationPlace, isConversationId, transcriptFile } from './own-files.ts';

/**
 * Reports whether a path is one where Claude Code stores a conversation. The check is needed because programs inside a
 * session can write hook payloads of their own, which can name any file.
 */
export function isTranscriptOf(file: string, { configDir, sessionId }: Omit<ConversationPlace, 'cwd'>): boolean {
  const projects = join(configDir, 'projects');
  const isBelow = dirname(dirname(file)) === projects && file === normalize(file);
  return isConversationId(sessionId) && isBelow && basename(file) === `${sessionId}.jsonl`;
}

/** Matches a line that belongs to the conversation itself. Other lines store the mode, the title, and the like. */
const MESSAGE_LINE = /"type":\s*"(?:user|assistant)"/;

async function hasMessages(file: string): Promise<boolean> {
  const stream = createReadStream(file, 'utf8');
  try {
    for await (const line of createInterface({ input: stream })) if (MESSAGE_LINE.test(line)) return true;
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  } finally {
    stream.destroy();
  }
}

/** A conversation from which another session branched off, as it was when that session was created. */
export interface ForkedConversation {
  sessionId: string;
  /** the directory in which the conversation took place, with symbolic links resolved */
  cwd: string;
}

/** How a launch gets its conversation. `fork` copies the conversation in `from`, which remains unchanged. */
export type LaunchConversation =
  | { kind: 'new' | 'resume'; sessionId: string }
  | { kind: 'fork'; sessionId: string; from: string };

/** Where a session's own conversation is stored. The file may not exist yet. */
export type OwnPlace = Omit<ConversationPlace, 'sessionId'> & { sessionId: string | null };

/**
 * Returns how to launch a session. Claude Code writes the transcript of a fork only with its first prompt, so a fork
 * that was never prompted is forked again (2.1.330).
 * @param fork the conversation from which the session was forked
 * @param newId a UUID for a new conversation or a fork
 */
export async function conversationFor(
  place: OwnPlace,
  fork: ForkedConversation | null,
  newId: string,
): Promise<LaunchConversation> {
  const { configDir, sessionId } = place;
  const own = sessionId === null ? null : await continueConversation({ ...place, sessionId }, newId);
  if (own?.kind === 'resume') return own;
  if (fork !== null) {
    const from = transcriptFile({ configDir, ...fork });
    if (isConversationId(fork.sessionId) && (await hasMessages(from))) return { kind: 'fork', sessionId: newId, from };
  }
  return own ?? { kind: 'new', sessionId: newId };
}

/**
 * Returns how to restart a session with its conversation. A conversation that was never prompted cannot be resumed ("No
 * conversation found"). If its transcript exists but contains no messages (after `/exit` on 2.1.329), its id cannot be
 * reused either ("is already in use"). In that case, the session starts a new conversation under another id.
 * @param newId a UUID for the case that the session starts a new conversation
 */
export async function continueConversation(
  place: ConversationPlace,
  newId: string,
): Promise<{ kind: 'new' | 'resume'; sessionId: string }> {
  return isConversationId(place.sessionId) && (await hasMessages(transcriptFile(place)))
    ? { kind: 'resume', sessionId: place.sessionId }
    : { kind: 'new', sessionId: newId };
}
