import type { Conversed } from '../../core/delivery/seen.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError } from '../../protocol/index.ts';

/**
 * How long prompts wait for the report that Claude Code continues the conversation. The registry reports this 0.2 to
 * 0.4 s after the start (2.1.330). Versions before 2.1.150 have no registry, and their hooks may be turned off.
 */
export const REPORT_MS = 30_000;

type Continuing = Pick<
  SessionRecord,
  'slug' | 'claudeSessionId' | 'launch' | 'reported' | 'agent' | 'endedAt' | 'type'
>;

/**
 * Returns whether the session's process continues the conversation that it was to continue.
 * @param startedAt when the process was launched; null if this server did not launch it
 */
export function conversedIn(
  { reported, agent, endedAt }: Continuing,
  startedAt: number | null,
  now: number,
): Conversed {
  if (endedAt !== null || agent === null) return 'known';
  if (reported.instead !== null) return 'another';
  if (reported.asked === null) return 'known';
  return startedAt !== null && now - startedAt < REPORT_MS ? 'awaited' : 'unreported';
}

/**
 * Returns the conversation that a session was to continue and the one that Claude Code began instead; null if there is
 * no such. A stopped session in a terminal tries again at its next launch.
 */
export function notContinued(record: Omit<Continuing, 'slug' | 'agent'>): { missing: string; other: string } | null {
  const { claudeSessionId, launch, reported, type, endedAt } = record;
  if (reported.instead === null || (type === 'screen' && endedAt !== null)) return null;
  return { missing: claudeSessionId ?? launch.fork?.sessionId ?? '', other: reported.instead };
}

/** The error for a session in which Claude Code has begun another conversation. */
export function notContinuedError({ slug, record }: { slug: string; record: Continuing }): CatalogueError {
  const { missing, other } = notContinued(record) ?? { missing: record.claudeSessionId ?? '', other: '' };
  // In a JSON session, CBOS ends the process that began the other conversation.
  const cure =
    record.type === 'json'
      ? `the next prompt tries again. \`cbos restart ${slug} --new-conversation\` begins a new conversation`
      : `\`cbos stop ${slug}\` and \`cbos restart ${slug}\` try again. \`cbos restart ${slug} --new-conversation\` keeps the new conversation`;
  return new CatalogueError(
    'another_conversation',
    `Claude Code has not continued the conversation ${missing} of ${slug}, but has begun another one`,
    {
      hint: `Check what \`claude_command\` does with --resume; then ${cure}`,
      extra: { claude_session_id: missing, other_conversation: other },
    },
  );
}
