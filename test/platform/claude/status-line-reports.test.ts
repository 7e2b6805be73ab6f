import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseReport, type StatusLineReport, watchReports } from '../../../src/platform/claude/status-line-reports.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import { waitFor } from '../../harness/wait-for.ts';

/** A report as Claude Code 2.1.330 writes it after an answer, without the fields that nobody reads. */
const TOLD = {
  session_id: '76414f46-a0be-4f91-afdd-e9ca74791db2',
  effort: { level: 'medium' },
  model: { id: 'claude-opus-5-5', display_name: 'Opus 5.5' },
  cost: {
    total_cost_usd: 0.011412,
    total_duration_ms: 33_869,
    total_api_duration_ms: 769,
    total_lines_added: 7,
    total_lines_removed: 2,
  },
  context_window: {
    total_input_tokens: 2_813,
    total_output_tokens: 8,
    context_window_size: 200_000,
    current_usage: {
      input_tokens: 13,
      output_tokens: 8,
      cache_creation_input_tokens: 800,
      cache_read_input_tokens: 2_000,
    },
    used_percentage: 1,
    remaining_percentage: 99,
  },
};

describe('a report', () => {
  const parse = (change: object) => parseReport(JSON.stringify({ ...TOLD, ...change }));

  test('contains the figures of the last request, including the part from the cache', () => {
    expect(parse({})).toEqual({
      sessionId: TOLD.session_id,
      model: 'claude-opus-5-5',
      effort: 'medium',
      context: { used_tokens: 2_813, size_tokens: 200_000, used_percentage: 1 },
      costUsd: 0.011412,
      linesAdded: 7,
      linesRemoved: 2,
    });
  });

  test.each([
    [
      'before the first answer',
      { context_window: { ...TOLD.context_window, current_usage: null, used_percentage: null } },
    ],
    ['a version without it', { context_window: undefined }],
    ['a negative share', { context_window: { ...TOLD.context_window, used_percentage: -1 } }],
    ['a size of zero', { context_window: { ...TOLD.context_window, context_window_size: 0 } }],
    ['a text instead of a number', { context_window: { ...TOLD.context_window, used_percentage: '42' } }],
    ['a list', { context_window: [] }],
  ])('has no context window: %s', (_, change) => {
    expect(parse(change)).toMatchObject({ context: null, model: 'claude-opus-5-5', costUsd: 0.011412 });
  });

  test.each([-1, 1e9, '1', null, {}])('has no cost if that is %j', (total_cost_usd) => {
    expect(parse({ cost: { ...TOLD.cost, total_cost_usd } })).toMatchObject({ costUsd: null, linesAdded: 7 });
  });

  test('has no name that is longer than a row', () => {
    expect(parse({ model: { id: 'x'.repeat(10_000) }, effort: { level: '' } })).toMatchObject({
      model: null,
      effort: null,
    });
  });

  test.each(['', '{', 'null', '[]', '"x"', '{}', '{"session_id":7}', '\u0000'])('does not count: %j', (text) => {
    expect(parseReport(text)).toBeNull();
  });
});

describe('the watch', () => {
  let dir: string;
  let seen: { launchId: string; report: StatusLineReport }[];
  let errors: unknown[];
  let launches: string[];
  let stop: (() => void) | null;
  beforeEach(() => {
    dir = join(makeTemporaryFolder(), 'status-lines');
    seen = [];
    errors = [];
    launches = ['one', 'two'];
    stop = null;
  });
  afterEach(() => {
    stop?.();
    rmSync(join(dir, '..'), { recursive: true, force: true });
  });

  const watch = (): void => {
    stop = watchReports({
      dir,
      launches: () => launches,
      onReport: (launchId, report) => void seen.push({ launchId, report }),
      onError: (error) => void errors.push(error),
    });
  };
  /** Puts a report into the directory as the tap does. */
  const drop = (launchId: string, costUsd: number): void => {
    const draft = join(dir, `.${launchId}.1`);
    writeFileSync(draft, JSON.stringify({ ...TOLD, cost: { total_cost_usd: costUsd } }));
    renameSync(draft, join(dir, `${launchId}.json`));
  };
  const untilSeen = (launchId: string, costUsd: number) =>
    waitFor(() => seen.some((one) => one.launchId === launchId && one.report.costUsd === costUsd), {
      describe: `the report of ${launchId} with ${costUsd}`,
    });

  test('reports what came without a server, then what comes, and creates its directory for this user alone', async () => {
    mkdirSync(dir);
    drop('one', 1);
    watch();
    await untilSeen('one', 1);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    drop('two', 2);
    await untilSeen('two', 2);
    drop('one', 3);
    await untilSeen('one', 3);
  });

  test('of a thousand reports in a moment, some are read, always including the last', async () => {
    watch();
    for (let count = 1; count <= 1_000; count += 1) drop('one', count);
    await untilSeen('one', 1_000);
    expect(seen.length).toBeLessThan(100);
  });

  test('a pipe, a link, a directory, a huge file and garbage are ignored, and stop nothing', async () => {
    mkdirSync(dir);
    launches = ['pipe', 'link', 'folder', 'huge', 'garbage', 'one'];
    execFileSync('/usr/bin/mkfifo', [join(dir, 'pipe.json')]);
    writeFileSync(join(dir, '../elsewhere'), JSON.stringify(TOLD));
    symlinkSync('../elsewhere', join(dir, 'link.json'));
    mkdirSync(join(dir, 'folder.json'));
    writeFileSync(join(dir, 'huge.json'), JSON.stringify({ ...TOLD, more: 'x'.repeat(100_000) }));
    writeFileSync(join(dir, 'garbage.json'), '{"session_id":');
    watch();
    drop('one', 1);
    await untilSeen('one', 1);
    expect(new Set(seen.map(({ launchId }) => launchId))).toEqual(new Set(['one']));
    expect(errors).toEqual([]);
  });

  test('reports of launches that have ended are removed at the start, and those of strangers are not read', async () => {
    mkdirSync(dir);
    drop('old', 1);
    drop('one', 1);
    watch();
    await waitFor(() => !existsSync(join(dir, 'old.json')), { describe: 'the old report is gone' });
    drop('stranger', 5);
    drop('one', 2);
    await untilSeen('one', 2);
    expect(seen.every(({ launchId }) => launchId === 'one')).toBe(true);
  });

  test('a directory that is removed is made again', async () => {
    watch();
    rmSync(dir, { recursive: true });
    await waitFor(() => existsSync(dir), { describe: 'the directory is there again' });
    drop('one', 1);
    await untilSeen('one', 1);
  });
});
