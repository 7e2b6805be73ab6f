import { afterEach, describe, expect, test } from 'vitest';
import { collectAges } from '../../bench/peers/peer.ts';
import { sizeFrom, sizesFrom } from '../../bench/sizes.ts';
import { lagsOf, parseChanges } from '../../bench/status-lags.ts';
import { scaleChart } from '../../scripts/generate/scale-chart.mjs';
import { withSpeedTables } from '../../scripts/generate/speed-page.mjs';

describe('the lag of a status', () => {
  const change = (at: number, status: string, session = 'A') => ({ session, at, status });

  test('runs from a change to the first frame that shows it', () => {
    const changes = [change(1_000, 'active/thinking'), change(2_000, 'idle/waiting_input')];
    const shown = [
      change(500, 'idle/waiting_input'),
      change(1_040, 'active/thinking'),
      change(2_015, 'idle/waiting_input'),
      change(2_900, 'idle/waiting_input'),
    ];
    expect(lagsOf(changes, shown)).toEqual({ lagsMs: [40, 15], missed: 0 });
  });

  test('lasts until the next change if nobody saw the change before that', () => {
    const changes = [change(1_000, 'active/using_tools'), change(1_100, 'active/thinking')];
    const late = [change(1_200, 'active/using_tools'), change(1_201, 'active/thinking')];
    expect(lagsOf(changes, late)).toEqual({ lagsMs: [100, 101], missed: 1 });
  });

  test('has no end for a last change that is never shown', () => {
    expect(lagsOf([change(1_000, 'idle/waiting_input')], [])).toEqual({
      lagsMs: [Number.POSITIVE_INFINITY],
      missed: 1,
    });
  });

  test('is measured with the frames of the same session', () => {
    const shown = [change(1_010, 'active/thinking', 'B'), change(1_500, 'active/thinking')];
    expect(lagsOf([change(1_000, 'active/thinking')], shown)).toEqual({ lagsMs: [500], missed: 0 });
  });

  test('reads the changes that an agent wrote down', () => {
    expect(parseChanges('A', '1795.000250 active/thinking\n1796.5 finished\n')).toEqual([
      { session: 'A', at: 1_795_000.25, status: 'active/thinking' },
    ]);
  });
});

describe('the size of a benchmark', () => {
  afterEach(() => {
    delete process.env.BENCH_TEST_SIZE;
  });

  test('is the usual one, or what the variable says', () => {
    expect(sizeFrom('BENCH_TEST_SIZE', 30)).toBe(30);
    process.env.BENCH_TEST_SIZE = '2,3';
    expect(sizesFrom('BENCH_TEST_SIZE', [10, 30])).toEqual([2, 3]);
  });

  test.each(['', '0', '1.5', 'ten'])('is never "%s"', (given) => {
    process.env.BENCH_TEST_SIZE = given;
    expect(() => sizeFrom('BENCH_TEST_SIZE', 30)).toThrow('whole numbers above 0');
  });
});

test('the time of a write is read even if it arrives in two pieces', () => {
  const at = Number(process.hrtime.bigint() / 1_000n) - 5_000;
  const stamp = `\u001b]0;T${String(at).padStart(16, '0')}\u0007`;
  const { ages, add } = collectAges();
  add(`text ${stamp.slice(0, 9)}`);
  add(`${stamp.slice(9)} more`);
  add(stamp.replace('\u001b', '\\033').replace('\u0007', '\\007'));
  expect(ages).toHaveLength(2);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(5);
});

describe('the page about speed', () => {
  const recorded = (figures: readonly object[]) => ({
    at: '2026-11-27T12:00:00.000Z',
    commit: 'abc1234',
    load: [0.1, 0.9] as [number, number],
    machine: { cpu: 'X', cores: 2, memory_gb: 24, node: '20', kernel: '6', screen: '4.09' },
    figures: figures as { name: string; value: number; unit: string }[],
  });
  const pageFor = (name: string) =>
    `above\n<!-- This is written by \`npm run generate\` from bench/results/${name}.json. -->\nold\n<!-- The end of what is generated. -->\nbelow\n`;

  test('has a column for each program, and says where another program is better', () => {
    const cells = [
      { name: 'a', value: 20, unit: 'ms', cell: { row: 'list', column: 'CBOS' } },
      { name: 'b', value: 5, unit: 'ms', cell: { row: 'list', column: 'tmux 3.3a' } },
      { name: 'c', value: 0.25, unit: 'times' },
      { name: 'd', value: 7, unit: 'MB', cell: { row: 'memory', column: 'CBOS' } },
    ];
    const page = withSpeedTables(pageFor('peers'), { peers: recorded(cells) });
    expect(page).toContain('| | CBOS | tmux 3.3a |');
    expect(page).toContain('| list, ms | 20 | 5 (4×) |');
    expect(page).toContain('| memory, MB | 7 | — |');
    expect(page).not.toContain('old');
    expect(page).toMatch(/^above\n[\s\S]*the load was 0\.1 before and 0\.9 after[\s\S]*\nbelow\n$/);
    expect(withSpeedTables(page, { peers: recorded(cells) })).toBe(page);
  });

  test('has a row for each figure of a benchmark without columns, with its limit', () => {
    const figures = [
      { name: 'kept', value: 12.34, unit: 'MB', limit: 30 },
      { name: 'each', value: 2, unit: 'MB', limit: 1 },
    ];
    const page = withSpeedTables(pageFor('memory-after'), { 'memory-after': recorded(figures) });
    expect(page).toContain('| kept | 12 MB | 30 |');
    expect(page).toContain('| each | 2 MB | 1, **missed** |');
  });

  test('has a chart with a point for each size', () => {
    const figures = [10, 100].map((size) => ({
      name: `${size}`,
      value: size * 2,
      unit: 'MB',
      cell: { row: 'idle, memory', column: String(size) },
    }));
    const chart = scaleChart(recorded(figures));
    expect(chart).toContain('idle, memory: 20 MB at 10, 200 MB at 100');
    expect(chart.match(/<circle/g)).toHaveLength(2);
    expect(chart).not.toMatch(/NaN|Infinity/);
  });
});
