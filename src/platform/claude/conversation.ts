import { basename, dirname, normalize } from 'node:path';
import { findTranscript, hasBeginning } from './find-transcript.ts';
import { configDirectoryOf, isConversationId } from './own-files.ts';

/**
 * Reports whether a path is one where Claude Code stores a conversation, in one of these configuration directories. The
 * check is needed because programs inside a session can write hook payloads of their own, which can name any file.
 */
export function isTranscriptOf(
  file: string,
  { configDirs, sessionId }: { configDirs: readonly string[]; sessionId: string },
): boolean {
  const isBelow = file === normalize(file) && basename(dirname(dirname(file))) === 'projects';
  const isKnown = isBelow && configDirs.includes(configDirectoryOf(file));
  return isConversationId(sessionId) && isKnown && basename(file) === `${sessionId}.jsonl`;
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

/** How a launch gets its conversation, with the transcript of a conversation that it continues. */
export type PlannedConversation =
  | { kind: 'new'; sessionId: string }
  | { kind: 'resume'; sessionId: string; transcript: string }
  | { kind: 'fork'; sessionId: string; from: string };

/** A conversation that a launch would have to continue, but whose transcript, or whose beginning, no longer exists. */
export interface MissingConversation {
  kind: 'missing';
  sessionId: string;
  /** the transcript in which only the newest turns are left; absent if there is none */
  rest?: string;
}

/** What is known about a session's own conversation. */
export interface KnownConversation {
  /** the configuration directories in which the transcript may be */
  configDirs: readonly string[];
  sessionId: string | null;
  /** the path of the transcript as last reported */
  reported: string | null;
  /** whether the model has answered in this conversation, or a turn has ended about which no hook reported */
  isBegun: boolean;
}

/**
 * Returns how to launch a session. Claude Code writes the transcript of a conversation only with its first prompt, so
 * a conversation that was never prompted cannot be resumed ("No conversation found"). If its transcript exists but
 * contains no messages (after `/exit` on 2.1.329), its id cannot be reused either ("is already in use"). In both cases
 * the session begins a conversation under another id, or copies its original again if it is a fork (2.1.330). A
 * conversation that has begun is never replaced by an empty one.
 * @param fork the conversation from which the session was forked
 * @param newId a UUID for a new conversation or a fork
 */
export async function conversationFor(
  own: KnownConversation,
  fork: ForkedConversation | null,
  newId: string,
): Promise<PlannedConversation | MissingConversation> {
  const { configDirs, sessionId, reported, isBegun } = own;
  if (sessionId !== null && isConversationId(sessionId)) {
    const transcript = await findTranscript({ configDirs, sessionId, reported });
    if (transcript !== null && !(await hasBeginning(transcript)))
      return { kind: 'missing', sessionId, rest: transcript };
    if (transcript !== null) return { kind: 'resume', sessionId, transcript };
    if (isBegun) return { kind: 'missing', sessionId };
  }
  if (fork === null) return { kind: 'new', sessionId: newId };
  const from = await findTranscript({ configDirs, sessionId: fork.sessionId, reported: null });
  if (from === null) return { kind: 'missing', sessionId: fork.sessionId };
  if (!(await hasBeginning(from))) return { kind: 'missing', sessionId: fork.sessionId, rest: from };
  return { kind: 'fork', sessionId: newId, from };
}
