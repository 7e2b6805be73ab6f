import type { Session } from '../protocol/index.ts';
import { formatClock } from './durations.ts';

/** Returns why nothing can be typed into a session, or an empty string if no obstacle is known. */
export function blockedText({
  status,
  screen_prompt_at: promptAt,
}: Pick<Session, 'status' | 'screen_prompt_at'>): string {
  const { source, evidence } = status.because;
  if (status.primary === null && source === 'process') return evidence;
  // An older server does not send this field.
  if (promptAt == null) return '';
  const at = Date.parse(promptAt);
  if (Number.isNaN(at)) return '';
  return `copy mode or a prompt of Screen was open when CBOS tried to type (${formatClock(at)}); Esc in the session's terminal closes it`;
}
