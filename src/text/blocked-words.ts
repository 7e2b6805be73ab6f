import type { Session } from '../protocol/index.ts';
import { formatClock } from './durations.ts';

/** Why nothing can be typed into it, as far as that is known; empty where nothing is known to keep keys from it. */
export function blockedText({
  status,
  screen_prompt_at: promptAt,
}: Pick<Session, 'status' | 'screen_prompt_at'>): string {
  const { source, evidence } = status.because;
  if (status.primary === null && source === 'process') return evidence;
  // An older server does not tell.
  const at = Date.parse(promptAt ?? '');
  if (Number.isNaN(at)) return '';
  return `in Screen's copy mode, or at one of its prompts, when something was to be typed (${formatClock(at)}): Esc there ends that`;
}
