import { beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();

const context = (used_percentage: number) => ({
  used_tokens: used_percentage * 2_000,
  size_tokens: 200_000,
  used_percentage,
});

beforeEach(() => {
  cli.server.sessions.add('HALF', {
    context: context(41.6),
    cost_usd: 1.234,
    model: 'claude-opus-5-5',
    effort: 'high',
    lines_added: 12,
    lines_removed: 3,
  });
  cli.server.sessions.add('FULL', { context: context(80), cost_usd: 0 });
  cli.server.sessions.add('NONE');
});

const run = async (...argv: string[]): Promise<string> => (await runCommand(argv, cli.where)).stdout;

test('ls --columns shows context, cost and model, and nothing if they are unknown', async () => {
  const rows = (await run('ls', '--columns', 'name,context,cost,model', '--sort', 'name')).trimEnd().split('\n');
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['NAME', 'CONTEXT', 'COST', 'MODEL'],
    ['◌', 'FULL', '▲ 80%', '$0.00'],
    ['◌', 'HALF', '42%', '$1.23', 'opus-5-5'],
    ['◌', 'NONE'],
  ]);
});

const base = { kind: 'started_from', ref: 'main', commit: null } as const;
const changes = { files: 3, added: 12, removed: 4, base, counted_at: '2026-11-20T15:05:05.123Z' };

test('ls -l shows the changes as the server counted them, and nothing if the count is unknown', async () => {
  cli.server.sessions.change('HALF', { changes });
  cli.server.sessions.change('FULL', { changes: { ...changes, files: 0, added: 0, removed: 0 } });
  const rows = (await run('ls', '--columns', 'name,changes', '--sort', 'name')).trimEnd().split('\n');
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['NAME', 'CHANGES'],
    ['◌', 'FULL', 'no changes'],
    ['◌', 'HALF', '3 files, +12 −4'],
    ['◌', 'NONE'],
  ]);
  expect(await run('ls', '-l')).toContain('3 files, +12 −4');
  expect(await run('ls')).not.toContain('3 files');
  expect(JSON.parse(await run('ls', '--json', '--jq', '.[0].changes'))).toEqual(changes);
  expect(await run('show', 'HALF')).toMatch(/^ {2}changes +3 files, \+12 −4 against main, where the branch started$/m);
});

describe('show', () => {
  test('shows how full the context window is, what was spent, and how many lines were changed', async () => {
    const text = await run('show', 'HALF');
    expect(text).toMatch(/^ {2}model +opus-5-5, high$/m);
    expect(text).toMatch(/^ {2}context +██░░░ 42% of 200k tokens$/m);
    expect(text).toMatch(/^ {2}cost +\$1\.23$/m);
    expect(text).toMatch(/^ {2}lines +\+12 −3$/m);
  });

  test('warns if it is nearly full', async () => {
    expect(await run('show', 'FULL')).toMatch(/^ {2}context +████░ ▲ 80% of 200k tokens; nearly full$/m);
  });

  test('has no line for unknown figures', async () => {
    expect(await run('show', 'NONE')).not.toMatch(/context|cost|lines|model/);
  });

  test('shows a window that is more than full as a gauge of five cells', async () => {
    cli.server.sessions.add('OVER', { context: context(150) });
    expect(await run('show', 'OVER')).toMatch(/^ {2}context +█{5} ▲ 150% /m);
  });
});

describe('costs', () => {
  test('shows the dollars of sessions in a terminal, also in a separate column', async () => {
    const [titles, , all] = (await run('costs')).split('\n');
    expect(titles).toMatch(/^DAY +COST +TERMINAL +TURNS/);
    expect(all).toMatch(/^all +\$1\.23 +\$1\.23 +0 /);
    expect(await run('costs', 'HALF')).toMatch(/^all +\$1\.23 /m);
  });

  test('explains why nothing is known, with the cure', async () => {
    const { code, stderr } = await runCommand(['costs', 'NONE'], cli.where);
    expect(code).toBe(1);
    expect(stderr).toContain('status_line_tap = "always"');
  });
});

test('history has a column for dollars', async () => {
  const text = await run('history', '--days', '3650');
  expect(text.split('\n')[0]).toMatch(/WORKED.*COST$/);
  expect(text).toMatch(/HALF .*\$1\.23$/m);
  expect(text).toMatch(/NONE .*[a-z]$/m);
});
