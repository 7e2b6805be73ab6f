import type { Session } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** An older server does not send these fields. */
export type Missing = Partial<Pick<Session, 'missing_conversation' | 'other_conversation'>>;

/**
 * Returns a note that Claude Code no longer has the session's conversation, or has begun another one instead; otherwise
 * an empty string.
 */
export function missingText({ missing_conversation: missing, other_conversation: other }: Missing): string {
  if (missing !== undefined && other !== undefined) {
    return `its conversation ${cleanLine(missing)} was not continued: Claude Code has begun another one`;
  }
  return missing === undefined ? '' : `its conversation is gone: Claude Code has no transcript ${cleanLine(missing)}`;
}

/** Returns a note that another session has the same conversation open, or an empty string if none has. */
export function sharedText({ also_open_in: other }: Pick<Session, 'also_open_in'>): string {
  if (other === undefined) return '';
  return `its conversation is also open in ${cleanLine(other)}, and neither session learns of the other's new turns`;
}

/** What happens if the user begins a new conversation. */
export const NEW_CONVERSATION_ABOUT =
  'The session starts without its earlier conversation. If you can restore the transcript, do that instead: a restart then continues the conversation.';

/** What happens if the user keeps the conversation that Claude Code has begun instead. */
export const KEEP_OTHER_ABOUT =
  'The session keeps the conversation that Claude Code has begun, and prompts that CBOS holds are sent into it. To try again, stop and restart the session instead.';

/**
 * Reports whether a session would keep the conversation that Claude Code has begun instead of its own. In a JSON
 * session, CBOS has ended the process that began it.
 */
export const keepsOther = ({
  type,
  other_conversation: other,
}: Pick<Session, 'type' | 'other_conversation'>): boolean => type === 'screen' && other !== undefined;
