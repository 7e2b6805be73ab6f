import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { slowFiles } from '../../scripts/check/slow-files.mjs';
import { ROOT } from '../../scripts/root.mjs';
import { dearest, differences, withRun } from '../../scripts/test/figures.mjs';
import { quarantineComplaints, quarantineLines } from '../../scripts/test/quarantine.mjs';
import { retriedAgain } from '../../scripts/test/retries.mjs';
import { createWorld } from '../harness/world.ts';

const figures = (wall: number, cpu = wall, launches = 0) => ({ wall, cpu, launches });

describe('the figures at the end of a test run', () => {
  test('are those of the ten files with the most processor time, and the sums of all', () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, figures(1, index, 2)]));
    const lines = dearest(files).slice(1);
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe('     1.0     11.0    2  f11');
    expect(lines[9]).toContain('  f2');
    expect(lines[10]).toBe('    12.0     66.0   24  12 files');
  });

  test('name a file that is new, and one that has grown by a third and 5 s, or 2 launches', () => {
    const recorded = { a: figures(30, 30, 3) };
    const compare = (now: ReturnType<typeof figures>) => differences(recorded, { a: now });
    expect(differences({}, { b: figures(2, 3, 1) })).toEqual(['b is new: 2 s, 3 s of processor time, 1 launches']);
    for (const same of [figures(30, 30, 3), figures(39, 39, 4), figures(1, 1, 0)]) expect(compare(same)).toEqual([]);
    for (const grown of [figures(41, 30, 3), figures(30, 41, 3), figures(30, 30, 5)])
      expect(compare(grown)).toEqual([expect.stringContaining('a has grown: ')]);
    expect(differences({ a: figures(3) }, { a: figures(7) })).toEqual([]);
    // What was never measured is not taken for nothing.
    expect(differences({ a: { wall: 30 } }, { a: figures(30, 90, 9) })).toEqual([]);
    expect(differences({ a: { wall: 30 } }, { a: figures(50, 90, 9) })).toEqual([
      'a has grown: 50 s, 90 s of processor time, 9 launches; recorded: 30 s',
    ]);
  });

  test('name only the file that has grown more than all others on a slower machine', () => {
    const all = Array.from({ length: 20 }, (_, index) => `f${index}`);
    const of = (seconds: number) => Object.fromEntries(all.map((file) => [file, figures(seconds)]));
    expect(differences({ ...of(10), a: figures(10) }, { ...of(25), a: figures(32) })).toEqual([
      'half of the files took at least 2.5 times as long, and 2.5 times the processor time of the record',
    ]);
    expect(differences({ ...of(10), a: figures(10) }, { ...of(25), a: figures(40) }).slice(1)).toEqual([
      expect.stringContaining('a has grown: 40 s'),
    ]);
    // A faster machine hides nothing.
    expect(differences({ ...of(30), a: figures(30) }, { ...of(10), a: figures(41) })).toHaveLength(1);
  });

  test('are recorded for the files that ran; the others keep theirs, and files that are gone have none', () => {
    const kept = 'test/setup/gate.test.ts';
    const ran = 'test/setup/test-figures.test.ts';
    const record = {
      recorded: 'long ago',
      files: { [kept]: figures(1), [ran]: figures(1), 'test/gone.ts': figures(1) },
    };
    expect(withRun(record, { [ran]: figures(2.345, 3.14, 1) }, '2026-11-28')).toEqual({
      recorded: expect.stringMatching(/^2026-11-28, \d+ cores$/),
      files: { [kept]: figures(1), [ran]: figures(2.3, 3.1, 1) },
    });
  });

  test('fail the gate if a file takes more than 60 s, or no longer does and is still excused', () => {
    expect(slowFiles({ a: figures(60), b: figures(75) }, ['b'])).toEqual([]);
    expect(slowFiles({ a: figures(61), b: figures(75) }, ['b'])).toEqual([expect.stringMatching(/^a takes 61 s/)]);
    expect(slowFiles({ b: figures(50) }, ['b', 'c'])).toEqual([
      expect.stringMatching(/^b takes no more than 60 s: remove it/),
      expect.stringMatching(/^c takes no more than 60 s: remove it/),
    ]);
  });
});

describe('the quarantine', () => {
  const NOW = new Date('2026-11-28T12:00:00Z');
  const row = (test: string, since = '2026-11-25') => ({ test, since, why: 'a race' });

  test('has at most five tests, each for at most a week, with the day and the reason', () => {
    const check = (...rows: ReturnType<typeof row>[]) => quarantineComplaints(rows, NOW);
    expect(check(row('a'), row('b', '2026-11-21'), row('c'), row('d'), row('e', '2026-11-28'))).toEqual([]);
    expect(check(row('a', '2026-11-20'))).toEqual(['a has been in quarantine for 8 days, the most is 7: mend it']);
    expect(check(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => row(name)))).toEqual([
      '6 tests are in quarantine, the most is 5: mend one',
    ]);
    for (const wrong of [row(''), row('a', 'yesterday'), row('a', '2026-12-01'), { ...row('a'), why: '' }])
      expect(check(wrong)).toHaveLength(1);
  });

  test('is named at the end of a run, with what became of each test', () => {
    const ran = [
      { test: 'a', failure: null },
      { test: 'b', failure: 'it rained' },
    ];
    expect(quarantineLines([row('a'), row('b'), row('c')], ran)).toEqual([
      'quarantined: a (since 2026-11-25: a race): passed',
      'quarantined: b (since 2026-11-25: a race): failed: it rained',
      'quarantined: c (since 2026-11-25: a race): did not run',
    ]);
  });
});

test('a test that two of the last ten runs retried is named', async () => {
  await using world = createWorld();
  const file = join(world.dir, 'cache', 'history.json');
  expect(retriedAgain(['a'], file)).toEqual([]);
  expect(retriedAgain(['b'], file)).toEqual([]);
  expect(retriedAgain(['a', 'c'], file)).toEqual([
    'a was retried in 2 of the last 3 runs: mend it, or put it in quarantine',
  ]);
  for (let run = 0; run < 9; run++) retriedAgain([], file);
  expect(retriedAgain(['a'], file)).toEqual([]);
});

describe('npm run again', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'again.mjs'), ...args], { encoding: 'utf8', env: process.env });

  test('runs a file many times without retries, and tells in how many runs which test failed', async () => {
    await using world = createWorld();
    mkdirSync(join(ROOT, 'build'), { recursive: true });
    const root = mkdtempSync(join(ROOT, 'build', 'nested-'));
    world.onDispose(() => rmSync(root, { recursive: true, force: true }));
    const counter = join(world.dir, 'runs');
    const config = { test: { root, projects: [{ test: { name: 'nested', include: ['*.test.ts'], retry: 1 } }] } };
    writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
    writeFileSync(
      join(root, 'now-and-then.test.ts'),
      `import { appendFileSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
test('holds', () => expect(1).toBe(1));
test('fails every second time', () => {
  appendFileSync('${counter}', 'x');
  expect(readFileSync('${counter}', 'utf8').length % 2).toBe(1);
});
`,
    );
    const { status, stdout } = run('now-and-then', '3', '--config', join(root, 'vitest.config.mjs'));
    expect(stdout.match(/^(ok {2}|FAIL) run \d of 3/gm), stdout).toEqual([
      'ok   run 1 of 3',
      'FAIL run 2 of 3',
      'ok   run 3 of 3',
    ]);
    expect(stdout.split('\n').slice(-3)).toEqual([
      expect.stringMatching(
        /^failed in 1 of 3 runs: build\/nested-\w+\/now-and-then\.test\.ts > fails every second time$/,
      ),
      '1 of 3 runs failed',
      '',
    ]);
    expect(status).toBe(1);
    // Without a retry, each run tries the test once.
    expect(readFileSync(counter, 'utf8')).toBe('xxx');
  });

  test('says how to call it', () => {
    const { status, stderr } = run();
    expect(stderr).toContain('usage: npm run again -- FILE [TIMES]');
    expect(status).toBe(2);
  });
});
