import type { RateLimit } from '../protocol/index.ts';
import { formatDateTime } from './durations.ts';
import { cleanLine } from './terminal-text.ts';

const LIMIT_WORDS: ReadonlyMap<string, string> = new Map([
  ['allowed_warning', 'nearly reached'],
  ['rejected', 'reached'],
]);

/** The question that asks the user whether to continue a session whose usage limit has ended. */
export const LIMIT_OVER_TEXT = 'Continue? The usage limit has ended';

/**
 * Returns a line about the account's limit that has stopped the session or soon will, such as `five hour limit reached,
 * resets at 2026-11-20 15:04:05`. Returns an empty string if there is no such limit.
 */
export function limitText(limit: RateLimit | null | undefined): string {
  if (limit == null || limit.status === 'allowed') return '';
  const kind = (limit.kind ?? 'usage').replaceAll('_', ' ');
  const said = LIMIT_WORDS.get(limit.status) ?? limit.status.replaceAll('_', ' ');
  const used = limit.utilization === null ? '' : ` (${Math.round(limit.utilization * 100)} %)`;
  const at = Date.parse(limit.resets_at ?? '');
  return cleanLine(`${kind} limit ${said}${used}${Number.isNaN(at) ? '' : `, resets at ${formatDateTime(at)}`}`);
}
