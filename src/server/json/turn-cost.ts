import { localDay } from '../../core/history/index.ts';
import type { TurnCost } from '../../platform/sqlite/event-store.ts';
import { type ClaudeEvent, turnDollars } from '../../protocol/index.ts';

type Json = Readonly<Record<string, unknown>>;
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
const count = (value: unknown): number => Math.max(0, Math.round(number(value)));

/**
 * Returns the cost of the turn that a `result` event ends.
 * @param totalBeforeUsd the total cost reported in the previous `result` event, in US dollars
 * @param at when the turn ended, in Unix milliseconds
 */
export function turnCost(result: ClaudeEvent, totalBeforeUsd: number, at: number): TurnCost {
  return {
    at,
    day: localDay(at),
    cost_usd: turnDollars(result, totalBeforeUsd),
    ...tokensOf(result),
    duration_ms: number(result.duration_ms),
  };
}

type Tokens = Pick<TurnCost, 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens'>;

/**
 * If Claude Code's version reports tokens by model, those figures are used, because `usage` omits the tokens spent on
 * compaction and titles (2.1.329).
 */
function tokensOf(result: ClaudeEvent): Tokens {
  const perModel = Object.values(record(result.model_usage_since_last_result)).map(record);
  const sum = (name: string): number => perModel.reduce((tokens, model) => tokens + count(model[name]), 0);
  if (perModel.length > 0) {
    return {
      input_tokens: sum('inputTokens'),
      output_tokens: sum('outputTokens'),
      cache_read_tokens: sum('cacheReadInputTokens'),
      cache_creation_tokens: sum('cacheCreationInputTokens'),
    };
  }
  const usage = record(result.usage);
  return {
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    cache_read_tokens: count(usage.cache_read_input_tokens),
    cache_creation_tokens: count(usage.cache_creation_input_tokens),
  };
}
