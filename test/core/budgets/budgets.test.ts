import { describe, expect, test } from 'vitest';
import { type BudgetRule, readBudgets, type Spend, spentOf, subjectOf } from '../../../src/core/budgets/index.ts';

const read = (...budgets: object[]): BudgetRule[] => readBudgets(budgets, '/home/config.toml');
const DAY = { per: 'day', unit: 'usd', limit: 5 };

describe('the [[budgets]] of config.toml', () => {
  test('apply to each session, one session, a tag or all, in dollars or tokens, per day or in total', () => {
    expect(
      read(
        { name: 'each', for: 'each', usd: 5 },
        { name: 'ci', for: 'session:CI', tokens: 2_000_000, per: 'total' },
        { name: 'night', for: 'tag:night', usd: 5, per: 'day' },
        { name: 'all', for: 'fleet', usd: 5 },
      ),
    ).toEqual([
      { name: 'each', scope: 'each', of: null, ...DAY },
      { name: 'ci', scope: 'session', of: 'CI', per: 'total', unit: 'tokens', limit: 2_000_000 },
      { name: 'night', scope: 'tag', of: 'night', ...DAY },
      { name: 'all', scope: 'fleet', of: null, ...DAY },
    ]);
    expect(readBudgets(undefined, '/home/config.toml')).toEqual([]);
  });

  test.each([
    [[{ for: 'each', usd: 5 }], 'needs a name'],
    [[{ name: 'a b', for: 'each', usd: 5 }], 'needs a name'],
    [[{ name: 'a', for: 'every', usd: 5 }], '`for` must be'],
    [[{ name: 'a', for: 'tag:', usd: 5 }], '`for` must be'],
    [[{ name: 'a', usd: 5 }], '`for` must be'],
    [[{ name: 'a', for: 'each' }], 'either usd or tokens'],
    [[{ name: 'a', for: 'each', usd: 5, tokens: 5 }], 'either usd or tokens'],
    [[{ name: 'a', for: 'each', usd: 0 }], 'usd must be a number above 0'],
    [[{ name: 'a', for: 'each', usd: '5' }], 'usd must be a number above 0'],
    [[{ name: 'a', for: 'each', tokens: Number.NaN }], 'tokens must be a number above 0'],
    [[{ name: 'a', for: 'each', usd: 5, per: 'week' }], '`per` must be'],
    [[{ name: 'a', for: 'each', usd: 5, limit: 6 }], 'unknown key: limit'],
    [
      [
        { name: 'a', for: 'each', usd: 5 },
        { name: 'a', for: 'fleet', usd: 5 },
      ],
      'two budgets are named a',
    ],
    [Array.from({ length: 51 }, (_, index) => ({ name: `b${index}`, for: 'each', usd: 5 })), 'the limit is 50'],
    [{ name: 'a' }, 'write [[budgets]]'],
    [[7], 'needs a name'],
  ])('%j is refused: %s', (value, why) => {
    expect(() => readBudgets(value, '/home/config.toml')).toThrow(why);
  });
});

describe('the spending within a budget', () => {
  const spends: Spend[] = [
    { sessionId: '1', day: '2026-10-24', usd: 4, tokens: 40 },
    { sessionId: '1', day: '2026-10-25', usd: 1, tokens: 10 },
    { sessionId: '2', day: '2026-10-25', usd: 2, tokens: null },
    { sessionId: 'deleted', day: '2026-10-25', usd: 8, tokens: 80 },
  ];
  const now = new Date(2026, 9, 25, 12).getTime();
  const tagged = new Set(['2']);
  const session = { id: '1', slug: 'CI', tags: ['night'] };

  test.each([
    [{ for: 'each', usd: 5 }, '1', 1],
    [{ for: 'each', usd: 5, per: 'total' }, '1', 5],
    [{ for: 'session:CI', tokens: 5, per: 'total' }, '1', 50],
    [{ for: 'session:OTHER', usd: 5 }, null, null],
    [{ for: 'tag:night', usd: 5 }, '', 2],
    // No source reports the tokens of the only session that has the tag.
    [{ for: 'tag:night', tokens: 5 }, '', 0],
    [{ for: 'tag:day', usd: 5 }, null, null],
    [{ for: 'fleet', usd: 5 }, '', 11],
    [{ for: 'fleet', usd: 5, per: 'total' }, '', 15],
  ])('%j: its part is %j, and %j of it is spent', (budget, subject, spent) => {
    const [rule] = read({ name: 'a', ...budget });
    if (rule === undefined) throw new Error('no budget');
    expect(subjectOf(rule, session)).toBe(subject);
    if (subject !== null) expect(spentOf(rule, { subject, tagged, spends, now })).toBe(spent);
  });
});
