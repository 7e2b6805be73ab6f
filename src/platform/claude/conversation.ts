import { createReadStream } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';

export interface ConversationPlace {
  /** see `configDirectory` */
  configDir: string;
  /** the directory in which the session was started, with links resolved */
  cwd: string;
  sessionId: string;
}

/**
 * Returns the file in which Claude Code stores a conversation: `projects/CWD-WITH-DASHES/ID.jsonl` in its
 * configuration directory.
 */
export function transcriptFile(place: ConversationPlace): string {
  return join(place.configDir, 'projects', place.cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${place.sessionId}.jsonl`);
}

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
 * Reports whether a text is a conversation's id. Hooks and the registry may contain any text, and after `--resume`, a
 * text that begins with a dash would be taken for an option.
 */
export const isConversationId = (id: string): boolean => CONVERSATION_ID.test(id);

const CONVERSATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns how to restart a session on its conversation. A conversation that was never prompted cannot be resumed ("No
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
