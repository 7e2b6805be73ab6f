import type { ContextWindow } from './figures.ts';

/**
 * How full a context window must be for all faces to show a warning. Claude Code 2.1.330 keeps 33,000 tokens free for
 * compaction, which is 16 % of a 200,000-token window.
 */
export const NEARLY_FULL_PERCENT = 80;

/** Reports whether a session will soon have to compact its conversation. */
export function isNearlyFull(context: ContextWindow | null): boolean {
  return context !== null && context.used_percentage >= NEARLY_FULL_PERCENT;
}
