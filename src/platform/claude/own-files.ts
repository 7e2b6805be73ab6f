import { basename, dirname, join } from 'node:path';

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
 * Returns the file in which Claude Code usually stores a conversation: `projects/CWD-WITH-DASHES/ID.jsonl` in its
 * configuration directory. This is only a first guess. Claude Code moves the file when the session moves to another
 * folder, and leaves it where it is when the conversation is continued elsewhere; `findTranscript` finds it everywhere.
 */
export function transcriptFile(place: ConversationPlace): string {
  return join(place.configDir, 'projects', dashedFolder(place.cwd), `${place.sessionId}.jsonl`);
}

/** How much of a folder's name Claude Code keeps. A hash of 6 characters follows if the name is longer (2.1.330). */
export const MOST_FOLDER_CHARS = 200;

/** Reports whether a transcript is where Claude Code stores the conversations of a folder. */
export function isStoredFor(transcript: string, cwd: string): boolean {
  const name = dashedFolder(cwd);
  const project = basename(dirname(transcript));
  return (
    project === name || (name.length > MOST_FOLDER_CHARS && project.startsWith(`${name.slice(0, MOST_FOLDER_CHARS)}-`))
  );
}

/** Returns the configuration directory that contains a transcript. */
export const configDirectoryOf = (transcript: string): string => dirname(dirname(dirname(transcript)));

/** Returns how Claude Code writes a folder in the name of its directory of transcripts. */
export const dashedFolder = (cwd: string): string => cwd.replaceAll(/[^A-Za-z0-9]/g, '-');

/**
 * Reports whether a string is a conversation id. Hooks and the registry may contain anything, and Claude Code would
 * take a string that begins with a dash for an option if it followed `--resume`.
 */
export const isConversationId = (id: string): boolean => CONVERSATION_ID.test(id);

const CONVERSATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
