import { type ContextWindow, isNearlyFull, type Session } from '../protocol/index.ts';
import type { StyleName } from './style.ts';

/** The mark that precedes the percentage if a context window is nearly full. */
const WARNING = '▲';
const GAUGE_CELLS = 5;
const HALF_A_CENT_USD = 0.005;

/**
 * Returns how full a context window is, such as `42%`, with a mark if the window is nearly full. Returns an empty
 * string if no figure is known.
 */
export function contextPercent(context: ContextWindow | null): string {
  if (context === null) return '';
  return `${isNearlyFull(context) ? `${WARNING} ` : ''}${Math.round(context.used_percentage)}%`;
}

/**
 * Returns how full a context window is, as a bar of five cells: `██░░░`. Returns an empty string if no figure is known.
 */
export function contextGauge(context: ContextWindow | null): string {
  if (context === null) return '';
  const filled = Math.min(GAUGE_CELLS, Math.round((context.used_percentage * GAUGE_CELLS) / 100));
  return '█'.repeat(filled) + '░'.repeat(GAUGE_CELLS - filled);
}

export function contextStyle(context: ContextWindow | null): StyleName {
  return isNearlyFull(context) ? 'yellow' : 'dim';
}

/** Returns text such as `██░░░ 42% of 200k tokens`, with a warning if the conversation will soon be compacted. */
export function contextText(context: ContextWindow | null): string {
  if (context === null) return '';
  const warning = isNearlyFull(context) ? '; nearly full' : '';
  return `${contextGauge(context)} ${contextPercent(context)} of ${tokensText(context.size_tokens)} tokens${warning}`;
}

/** Returns text such as `context 42%`, for a list of facts about a session. */
export function contextFact(context: ContextWindow | null): string {
  return context === null ? '' : `context ${contextPercent(context)}`;
}

/** Formats a number of tokens, such as `1M`, `200k`, or `950`. */
export function tokensText(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
  return count >= 1_000 ? `${Math.round(count / 1_000)}k` : String(count);
}

export function dollarsText(costUsd: number): string {
  return `$${costUsd.toFixed(2)}`;
}

/** Formats a cost, or returns an empty string if nothing was spent or the cost is unknown. */
export function costFact(costUsd: number | null): string {
  return costUsd === null || costUsd < HALF_A_CENT_USD ? '' : dollarsText(costUsd);
}

/**
 * Returns the numbers of added and removed lines, such as `+12 −3`, or an empty string if no lines were changed or the
 * numbers are unknown.
 */
export function linesText({ lines_added: added, lines_removed: removed }: Session): string {
  return (added ?? 0) + (removed ?? 0) === 0 ? '' : `+${added ?? 0} −${removed ?? 0}`;
}
