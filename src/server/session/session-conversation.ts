import { realpath } from 'node:fs/promises';
import { continuingArguments } from '../../core/launch/index.ts';
import {
  type ClaudeVersion,
  configDirectory,
  conversationFor,
  findsConversationsAnywhere,
  folderOfTranscript,
  formatClaudeVersion,
  isStoredFor,
  keepNewestTurn,
  type MissingConversation,
  type PlannedConversation,
} from '../../platform/claude/index.ts';
import { NOTHING_REPORTED, type Reported } from '../../platform/sqlite/reported.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { ConversationSource } from './controls.ts';
import { requireDirectory } from './require-directory.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The facts about a session that determine how it gets its conversation. */
export type Conversing = Pick<SessionRecord, 'slug' | 'claudeSessionId' | 'launch' | 'reported'>;

/**
 * Returns the configuration directories in which a session's Claude Code may keep its files: the one that was reported,
 * which a wrapper may have chosen, and the one that the environment names.
 */
export function configDirectoriesOf(
  { launch, reported }: Pick<Conversing, 'launch' | 'reported'>,
  environment: Environment,
): string[] {
  const named = configDirectory({ ...environment, ...launch.env });
  return reported.configDir === null || reported.configDir === named ? [named] : [reported.configDir, named];
}

/**
 * Returns how a launch gets the session's conversation: the launch continues it wherever its transcript is now, copies
 * the original of a fork, or begins the first one.
 * @param environment the environment of the server's own process
 * @throws CatalogueError no_such_conversation if there was a conversation and its transcript no longer exists, because
 * the launch would begin an empty one
 */
export async function requireConversation(
  session: Conversing,
  environment: Environment,
  newId: string,
): Promise<PlannedConversation> {
  const { claudeSessionId: sessionId, launch, reported } = session;
  const configDirs = configDirectoriesOf(session, environment);
  const own = { configDirs, sessionId, reported: reported.transcript, isBegun: reported.isBegun };
  const found = await conversationFor(own, launch.fork ?? null, newId);
  if (found.kind !== 'missing') return found;
  throw missingConversation(session, found);
}

/**
 * Ensures that a launch will continue the session's own conversation.
 * @throws CatalogueError no_such_conversation
 */
export async function requireOwnConversation(session: Conversing, environment: Environment): Promise<void> {
  const found = await requireConversation(session, environment, '');
  if (found.kind !== 'resume') throw missingConversation(session, { sessionId: session.claudeSessionId ?? '' });
}

/** Reports whether a launch can continue the session's own conversation. */
export async function hasConversation(session: Conversing, environment: Environment): Promise<boolean> {
  return (await findConversationOf(session, environment))?.kind === 'resume';
}

/**
 * Ensures that the next process of a session could continue its conversation, and shows if it could not.
 * @throws CatalogueError no_such_conversation
 */
export const requireSaved = (session: Shown & { record: Conversing }, environment: Environment): Promise<unknown> =>
  showingMissing(session, () => requireConversation(session.record, environment, ''));

/** Works like {@link requireConversation}, but returns null for a conversation that is gone. */
export async function findConversationOf(
  session: Conversing,
  environment: Environment,
): Promise<PlannedConversation | null> {
  return requireConversation(session, environment, '').catch((cause: unknown) => {
    if (isMissing(cause)) return null;
    throw cause;
  });
}

/**
 * Works like {@link requireConversation}, for a launch that follows at once. The launch continues or copies the
 * conversation with its newest turn, see {@link keepNewestTurn}.
 * @throws also if the transcript cannot be written
 */
export async function requireWholeConversation(
  session: Conversing,
  environment: Environment,
  newId: string,
): Promise<PlannedConversation> {
  const conversation = await requireConversation(session, environment, newId);
  if (conversation.kind === 'resume') await keepNewestTurn(conversation.transcript);
  if (conversation.kind === 'fork') await keepNewestTurn(conversation.from);
  return conversation;
}

/** The error if Claude Code no longer has a session's conversation, or that of its original, as a whole. */
function missingConversation(
  { slug, reported, claudeSessionId }: Conversing,
  { sessionId: missing, rest }: Pick<MissingConversation, 'sessionId' | 'rest'>,
): CatalogueError {
  const was =
    reported.transcript?.endsWith(`/${missing}.jsonl`) === true ? `, which was in ${reported.transcript}` : '';
  const whose = missing === claudeSessionId ? `The conversation of ${slug}` : `The conversation that ${slug} copies`;
  return new CatalogueError(
    'no_such_conversation',
    rest === undefined
      ? `${whose} is gone: Claude Code has no transcript ${missing}${was}`
      : `${whose} is gone, except for its newest turns: ${rest} was deleted while Claude Code was running`,
    {
      hint: `If you can restore that file, do so first; \`cbos restart ${slug} --new-conversation\` begins a new, empty conversation`,
      extra: { claude_session_id: missing },
    },
  );
}

/**
 * Returns the folder in which a launch must run Claude Code: the session's own folder, or, if the version finds
 * conversations only in their own folders, the folder to which the conversation belongs.
 * @throws CatalogueError no_such_path
 */
export async function launchFolder(
  { path }: Pick<SessionRecord, 'path'>,
  conversation: PlannedConversation,
  version: ClaudeVersion,
): Promise<string> {
  const own = (): Promise<string> => requireDirectory(path ?? '');
  if (conversation.kind !== 'resume' || findsConversationsAnywhere(version)) return own();
  const { transcript } = conversation;
  const real = path === null ? null : await realpath(path).catch(() => null);
  if (real !== null && isStoredFor(transcript, real)) return own();
  const belongs = await folderOfTranscript(transcript);
  if (belongs === null) return own();
  return requireDirectory(belongs).catch((cause: unknown) => {
    if (!(cause instanceof CatalogueError) || cause.code !== 'no_such_path') throw cause;
    const named = `Claude Code ${formatClaudeVersion(version)}`;
    throw new CatalogueError(
      'no_such_path',
      `${named} can continue the conversation only in ${belongs}, which is gone`,
      {
        hint: 'Create that folder again, or install a newer Claude Code',
      },
    );
  });
}

/** Returns what is known about a session's conversation and folder when a launch has just begun. */
export function reportedAtLaunch(
  { reported }: Pick<SessionRecord, 'reported'>,
  conversation: PlannedConversation,
): Reported {
  const asked = conversation.kind === 'new' ? null : conversation.kind;
  if (conversation.kind !== 'resume') return { ...NOTHING_REPORTED, configDir: reported.configDir, asked };
  return { ...reported, transcript: conversation.transcript, isBegun: true, isSilent: false, asked, instead: null };
}

/** Returns where a planned launch gets its conversation, in the words of the protocol. */
export const sourceOf = (kind: PlannedConversation['kind']): ConversationSource =>
  (({ resume: 'continued', fork: 'copied', new: 'new' }) as const)[kind];

/** The change that makes a session forget its conversation, so that its next launch begins a new one. */
export function withoutConversation({ launch }: Pick<SessionRecord, 'launch'>): Partial<SessionRecord> {
  const { fork: _, ...kept } = launch;
  return {
    claudeSessionId: null,
    reported: NOTHING_REPORTED,
    launch: { ...kept, args: continuingArguments(kept.args) },
  };
}

/** A session that shows on every face that its conversation is gone. */
interface Shown {
  readonly intake: { missing: string | null };
  update(change: Partial<SessionRecord>): void;
}

/** Does work that needs the session's conversation, and shows whether the conversation is gone. */
export async function showingMissing<T>(session: Shown, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    see(session, null);
    return result;
  } catch (cause) {
    if (isMissing(cause) && cause.code === 'no_such_conversation') see(session, String(cause.extra.claude_session_id));
    throw cause;
  }
}

function see(session: Shown, missing: string | null): void {
  if (session.intake.missing === missing) return;
  session.intake.missing = missing;
  session.update({});
}

/** Reports whether an error says that a session's conversation is gone, or was not continued. */
export const isMissing = (cause: unknown): cause is CatalogueError =>
  cause instanceof CatalogueError && (cause.code === 'no_such_conversation' || cause.code === 'another_conversation');
