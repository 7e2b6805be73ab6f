import { createReadStream } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { type ConversationPlace, isConversationId, transcriptFile } from './own-files.ts';

/**
 * Reports whether a path is one where Claude Code stores a conversation. Programs inside a session can write hooks of
 * their own that name any file.
 */
export function isTranscriptOf(file: string, { configDir, sessionId }: Omit<ConversationPlace, 'cwd'>): boolean {
  const projects = join(configDir, 'projects');
  const isBelow = dirname(dirname(file)) === projects && file === normalize(file);
  return isConversationId(sessionId) && isBelow && basename(file) === `${sessionId}.jsonl`;
}

/** Matches a line of the conversation itself. Other lines store the mode, the title, and similar facts. */
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

/**
 * Returns how to restart a session with its conversation. A conversation that was never prompted cannot be resumed ("No
 * conversation found"). Its id cannot be used a second time either, once it has a transcript without messages ("is
 * already in use", after `/exit` on 2.1.329). Such a session starts a new conversation under another id.
 * @param newId a UUID for that case
 */
export async function continueConversation(
  place: ConversationPlace,
  newId: string,
): Promise<{ kind: 'new' | 'resume'; sessionId: string }> {
  return isConversationId(place.sessionId) && (await hasMessages(transcriptFile(place)))
    ? { kind: 'resume', sessionId: place.sessionId }
    : { kind: 'new', sessionId: newId };
}
