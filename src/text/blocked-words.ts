import type { Session } from '../protocol/index.ts';
import { formatClock } from './durations.ts';
import { cleanLine } from './terminal-text.ts';

/** Returns why nothing can be typed into a session, or an empty string if no obstacle is known. */
export function blockedText({
  slug,
  status,
  view,
  screen_prompt_at: promptAt,
}: Pick<Session, 'slug' | 'status' | 'screen_prompt_at' | 'view'>): string {
  const { source, evidence } = status.because;
  if (status.primary === null && source === 'process') return evidence;
  // An older server does not send this field.
  if (promptAt == null) return view === undefined ? '' : `${viewText(view.name)}; \`cbos interrupt ${slug}\` closes it`;
  const at = Date.parse(promptAt);
  if (Number.isNaN(at)) return '';
  return `copy mode or a prompt of Screen was open when CBOS tried to type (${formatClock(at)}); Esc in the session's terminal closes it`;
}

/** Says which of Claude Code's views is open instead of the prompt. */
export function viewText(name: string): string {
  return `the view ${JSON.stringify(cleanLine(name))} covers the prompt`;
}
