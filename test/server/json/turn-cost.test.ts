import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ClaudeEvent, StoredEvent } from '../../../src/protocol/index.ts';
import { turnCost } from '../../../src/server/json/turn-cost.ts';

/** The list prices of the recorded model, in dollars per token. */
const PRICE = { input: 4 / 1e6, output: 20 / 1e6 };

function resultsOf(name: string): ClaudeEvent[] {
  const file = new URL(`../../fixtures/json-events/2.1.329/${name}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => StoredEvent.parse(JSON.parse(line)).event)
    .filter(({ type }) => type === 'result');
}

const costsOf = (results: readonly ClaudeEvent[]) =>
  results.map((result, index) => turnCost(result, Number(results[index - 1]?.total_cost_usd ?? 0), 0));
const totalOf = (results: readonly ClaudeEvent[]): number => Number(results.at(-1)?.total_cost_usd);

/** Returns the same results as an older version would report them, without the usage of the turn. */
const asOlder = (results: readonly ClaudeEvent[]): ClaudeEvent[] =>
  results.map(({ model_usage_since_last_result: _, ...rest }) => rest as ClaudeEvent);

describe.each([
  ['as 2.1.329 reports it', (results: ClaudeEvent[]) => results],
  ['as a version reports it that only knows the sum', asOlder],
])('a turn costs what its tokens cost, %s', (_, told) => {
  test.each([
    ['after a resume, which continues the sum', 'hello'],
    ['after a kill, which starts the sum again', 'killed'],
    ['in one process', 'permission'],
  ])('%s', (__, name) => {
    const costs = costsOf(told(resultsOf(name)));
    expect(costs.length).toBeGreaterThan(1);
    for (const { cost_usd, input_tokens, output_tokens } of costs) {
      expect(cost_usd).toBeCloseTo(input_tokens * PRICE.input + output_tokens * PRICE.output, 9);
    }
  });
});

test('the turns of a conversation that was never killed add up to its total', () => {
  for (const name of ['hello', 'compact', 'permission', 'interrupt', 'error']) {
    const results = resultsOf(name);
    const sum = costsOf(results).reduce((dollars, { cost_usd }) => dollars + cost_usd, 0);
    expect(sum, name).toBeCloseTo(totalOf(results), 9);
  }
});

test('a missing result costs nothing and loses nothing: the next one has the difference', () => {
  const results = asOlder(resultsOf('hello'));
  expect(results.length).toBeGreaterThan(1);
  const sumWithout = (index: number): number =>
    costsOf(results.filter((_, at) => at !== index)).reduce((dollars, { cost_usd }) => dollars + cost_usd, 0);
  for (const index of results.keys()) {
    const isLast = index === results.length - 1;
    expect(sumWithout(index)).toBeCloseTo(totalOf(isLast ? results.slice(0, -1) : results), 9);
  }
});

test('a compaction costs as much as the summary, although no turn ran', () => {
  const [, compaction] = costsOf(resultsOf('compact'));
  expect(compaction?.cost_usd).toBeGreaterThan(0.03);
  expect(compaction?.input_tokens).toBeGreaterThan(8_000);
});
