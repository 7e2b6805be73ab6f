import { join } from 'node:path';

// The places where Claude Code keeps its files. This module imports nothing else, because `cbos ls` needs it.

/** Returns the directory in which Claude Code keeps its configuration and its registry, given this environment. */
export function configDirectory(
  env: Readonly<{ HOME?: string | undefined; CLAUDE_CONFIG_DIR?: string | undefined }>,
): string {
  const own = env.CLAUDE_CONFIG_DIR;
  return own !== undefined && own !== '' ? own : join(env.HOME ?? '/', '.claude');
}

export interface ConversationPlace {
  /** Claude Code's configuration directory; see `configDirectory` */
  configDir: string;
  /** the directory in which the session was started, with symbolic links resolved */
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
 * Reports whether a string is a conversation id. Hooks and the registry may contain anything, and Claude Code would
 * take a string that begins with a dash for an option if it followed `--resume`.
 */
export const isConversationId = (id: string): boolean => CONVERSATION_ID.test(id);

const CONVERSATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
