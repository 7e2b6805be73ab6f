import { type ContextWindow, isNearlyFull, type Session } from '../protocol/index.ts';
import type { StyleName } from './style.ts';

/** A mark before the share of a context window that is nearly full. */
const WARNING = '▲';
const GAUGE_CELLS = 5;
const HALF_A_CENT_USD = 0.005;

/** `42%`, with a mark if the context window is nearly full; empty where nothing is known. */
export function contextPercent(context: ContextWindow | null): string {
  if (context === null) return '';
  return `${isNearlyFull(context) ? `${WARNING} ` : ''}${Math.round(context.used_percentage)}%`;
}

/** The share as a bar of five cells: `██░░░`; empty where nothing is known. */
export function contextGauge(context: ContextWindow | null): string {
  if (context === null) return '';
  const filled = Math.min(GAUGE_CELLS, Math.round((context.used_percentage * GAUGE_CELLS) / 100));
  return '█'.repeat(filled) + '░'.repeat(GAUGE_CELLS - filled);
}

export function contextStyle(context: ContextWindow | null): StyleName {
  return isNearlyFull(context) ? 'yellow' : 'dim';
}

/** `██░░░ 42% of 200k tokens`, with what is about to happen. */
export function contextText(context: ContextWindow | null): string {
  if (context === null) return '';
  const warning = isNearlyFull(context) ? '; nearly full' : '';
  return `${contextGauge(context)} ${contextPercent(context)} of ${tokensText(context.size_tokens)} tokens${warning}`;
}

/** `context 42%`, beside other facts of a session. */
export function contextFact(context: ContextWindow | null): string {
  return context === null ? '' : `context ${contextPercent(context)}`;
}

/** `1M`, `200k`, `950`. */
export function tokensText(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
  return count >= 1_000 ? `${Math.round(count / 1_000)}k` : String(count);
}

export function dollarsText(costUsd: number): string {
  return `$${costUsd.toFixed(2)}`;
}

/** Empty where nothing was spent, or nothing is known. */
export function costFact(costUsd: number | null): string {
  return costUsd === null || costUsd < HALF_A_CENT_USD ? '' : dollarsText(costUsd);
}

/** `+12 −3`; empty where nothing is known or nothing was changed. */
export function linesText({ lines_added: added, lines_removed: removed }: Session): string {
  return (added ?? 0) + (removed ?? 0) === 0 ? '' : `+${added ?? 0} −${removed ?? 0}`;
}
