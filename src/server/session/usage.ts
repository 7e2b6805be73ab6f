import type { Spent, Usage } from '../../protocol/index.ts';

export const NO_USAGE: Spent = {
  turns: 0,
  cost_usd: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  duration_ms: 0,
  terminal_cost_usd: 0,
};

export function addUsage(sum: Spent, more: Usage & Partial<Spent>): Spent {
  return {
    turns: sum.turns + more.turns,
    cost_usd: sum.cost_usd + more.cost_usd,
    input_tokens: sum.input_tokens + more.input_tokens,
    output_tokens: sum.output_tokens + more.output_tokens,
    cache_read_tokens: sum.cache_read_tokens + more.cache_read_tokens,
    cache_creation_tokens: sum.cache_creation_tokens + more.cache_creation_tokens,
    duration_ms: sum.duration_ms + more.duration_ms,
    terminal_cost_usd: sum.terminal_cost_usd + (more.terminal_cost_usd ?? 0),
  };
}
