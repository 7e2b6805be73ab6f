import { localDay } from '../../core/history/index.ts';
import type { TurnCost } from '../../platform/sqlite/event-store.ts';
import type { ClaudeEvent } from '../../protocol/index.ts';

type Json = Readonly<Record<string, unknown>>;
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
const count = (value: unknown): number => Math.max(0, Math.round(number(value)));

/**
 * What the turn of a `result` cost. Its `total_cost_usd` is a sum over the conversation, which a resumed process goes on
 * with, and which begins anew when the last one was killed (2.1.329); so the part since the last result is taken where it is told.
 * @param totalBeforeUsd the total of the result before
 * @param at Unix milliseconds
 */
export function turnCost(result: ClaudeEvent, totalBeforeUsd: number, at: number): TurnCost {
  const usage = record(result.usage);
  return {
    at,
    day: localDay(at),
    cost_usd: costOf(result, totalBeforeUsd),
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    cache_read_tokens: count(usage.cache_read_input_tokens),
    cache_creation_tokens: count(usage.cache_creation_input_tokens),
    duration_ms: number(result.duration_ms),
  };
}

function costOf(result: ClaudeEvent, totalBeforeUsd: number): number {
  const perModel = result.model_usage_since_last_result;
  if (typeof perModel === 'object' && perModel !== null) {
    return Object.values(perModel).reduce((sum: number, model) => sum + number(record(model).costUSD), 0);
  }
  const total = number(result.total_cost_usd);
  return total >= totalBeforeUsd ? total - totalBeforeUsd : total;
}
