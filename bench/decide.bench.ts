import { decide } from '../src/core/approval/index.ts';
import { DENIED } from '../test/core/approval/covered.ts';
import { DAILY, generousRules } from '../test/core/approval/daily.ts';
import { asked, deny, rulesOf } from '../test/core/approval/judge.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  'one decision by 50 rules about each of 500 everyday commands, once their paths have been resolved; the fastest of 20 rounds counts for each command';

const ROUNDS = 20;
/** How often a piece of work is done between two looks at the clock, so that the clock's resolution hardly matters. */
const AT_ONCE = 5;
const COPIES = 50;
/** 1.2 times the ratio of November 2026 (0.39), before rules knew the options of programs. */
const MOST_COPIES = 0.47;

export async function measure(): Promise<Figure[]> {
  const rules = [
    ...generousRules(),
    ...DENIED.flatMap((command) => deny(command)),
    ...rulesOf({ allow: [{ tool: ['Read', 'Edit', 'Write'], path: 'src/**' }] }),
  ];
  const decisions = DAILY.map(([command]) => {
    const given = asked(rules, { command });
    return () => decide(...given);
  });
  const copies = Array.from({ length: COPIES }, () => () => JSON.parse(JSON.stringify(DAILY)));
  const decisionsUs = decisions.map(() => Number.POSITIVE_INFINITY);
  const copiesUs = copies.map(() => Number.POSITIVE_INFINITY);
  // Both kinds of work alternate, so that they run under the same load and their ratio depends little on the machine.
  for (let round = 0; round < ROUNDS; round++) {
    keepFastest(decisionsUs, decisions);
    keepFastest(copiesUs, copies);
  }
  decisionsUs.sort((a, b) => a - b);
  return [
    { name: 'rules', value: rules.length, unit: '' },
    { name: 'commands', value: decisions.length, unit: '' },
    { name: 'a decision, median', value: median(decisionsUs), unit: 'µs' },
    {
      name: 'a decision, 99th percentile',
      value: decisionsUs[Math.floor(decisionsUs.length * 0.99)] ?? Number.NaN,
      unit: 'µs',
    },
    {
      name: 'a decision, mean, against a JSON copy of the list of commands',
      value: mean(decisionsUs) / mean(copiesUs),
      unit: 'times',
      limit: MOST_COPIES,
    },
  ];
}

/** Does each piece of work, and stores the microseconds that it takes if it is faster than ever before. */
function keepFastest(fastestUs: number[], works: readonly (() => unknown)[]): void {
  for (const [index, work] of works.entries()) {
    const startedAt = performance.now();
    for (let call = 0; call < AT_ONCE; call++) work();
    const tookUs = ((performance.now() - startedAt) * 1_000) / AT_ONCE;
    fastestUs[index] = Math.min(fastestUs[index] ?? tookUs, tookUs);
  }
}

const mean = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0) / values.length;
