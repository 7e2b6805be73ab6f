import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oversizedFiles } from '../../scripts/check/file-sizes.mjs';
import { bannedIn } from '../../scripts/check/plain-words.mjs';
import { runSteps } from '../../scripts/check/run-steps.mjs';
import { decisionsIn } from '../../scripts/check/status-words.mjs';
import { cruised } from '../../scripts/check/steps.mjs';
import { ROOT } from '../../scripts/root.mjs';
import { brokenFiles, brokenSetUps, countTests, failures, withSecondAttempt } from '../../scripts/test/count-tests.mjs';
import { versionsInUse } from '../../scripts/test/versions-in-use.mjs';
import { createWorld } from '../harness/world.ts';

test('a check of the layers that has found no modules fails', () => {
  const found = (modules: number) => `✔ no dependency violations found (${modules} modules, 0 dependencies cruised)\n`;
  expect(cruised({ ok: true, output: found(2_100) }).ok).toBe(true);
  expect(cruised({ ok: true, output: found(0) })).toMatchObject({
    ok: false,
    output: expect.stringContaining('no modules'),
  });
});

describe('the count at the end of a test run', () => {
  const file = (status: string, ...tests: string[]) => ({
    name: '/house/test/a.test.ts',
    status,
    message: '\nSyntaxError: no such export\n  at line 1',
    assertionResults: tests.map((test, index) => ({
      status: test,
      fullName: `promise ${index}`,
      failureMessages: test === 'failed' ? ['AssertionError: expected 1 to be 2\n    at a.test.ts:3'] : [],
    })),
  });

  test('adds up passed and failed tests, and counts skipped ones as neither', () => {
    const report = { testResults: [file('passed', 'passed', 'skipped'), file('failed', 'passed', 'failed', 'failed')] };
    expect(countTests(report, 1)).toEqual({ passed: 2, failed: 2 });
  });

  test('a file that does not load is a failure', () => {
    expect(countTests({ testResults: [file('passed', 'passed'), file('failed')] }, 1)).toEqual({
      passed: 1,
      failed: 1,
    });
  });

  test('an error outside all tests is a failure', () => {
    expect(countTests({ testResults: [file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1 });
  });

  test('a run that left no report is a failure, whatever its exit code', () => {
    expect(countTests(null, 0)).toEqual({ passed: 0, failed: 1 });
  });

  test('takes the result of the second attempt for a file whose set-up failed, and tells which passed then', () => {
    const named = (name: string, ...of: Parameters<typeof file>) => ({ ...file(...of), name });
    const [failedTest, mended, broken, leaking] = [
      named('a', 'failed', 'failed'),
      named('b', 'failed', 'skipped'),
      named('c', 'failed'),
      named('d', 'failed', 'passed'),
    ];
    expect(brokenFiles({ testResults: [failedTest, mended, broken, leaking] })).toEqual([mended, broken, leaking]);
    const first = { testResults: [failedTest, mended, broken] };
    expect(brokenSetUps({ testResults: [...first.testResults, leaking] })).toEqual([mended, broken]);
    const second = {
      testResults: [named('b', 'passed', 'passed', 'passed'), named('c', 'failed', 'passed', 'failed')],
    };
    const { report, retried } = withSecondAttempt(first, second);
    expect(retried).toEqual([mended]);
    expect(countTests(report, 1)).toEqual({ passed: 3, failed: 2 });
    expect(withSecondAttempt(first, null)).toEqual({ report: first, retried: [] });
  });

  test('names each test that failed, and each file that did not load, with the first line of its message', () => {
    const report = { testResults: [file('passed', 'passed'), file('failed', 'passed', 'failed'), file('failed')] };
    expect(failures(report, '/house')).toEqual([
      'test/a.test.ts > promise 1: AssertionError: expected 1 to be 2',
      'test/a.test.ts: SyntaxError: no such export',
    ]);
    expect(failures(null, '/house')).toEqual([]);
  });
});

describe('the steps of the gate', () => {
  test('print one line each, with their output only if they failed, and a crash is a failure', async () => {
    const lines: string[] = [];
    const results = await runSteps(
      [
        { name: 'good', run: async () => ({ ok: true, output: 'chatter' }) },
        { name: 'bad', run: async () => ({ ok: false, output: 'a.ts:1\nb.ts:2\n' }) },
        { name: 'broken', run: () => Promise.reject(new Error('no such tool')) },
      ],
      { write: (text) => void lines.push(text), parallel: 1 },
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false]);
    const printed = lines.join('');
    expect(printed).toMatch(
      /^ok {3}good \(\d+\.\d s\)\nFAIL bad \(\d+\.\d s\)\n {5}a\.ts:1\n {5}b\.ts:2\nFAIL broken \(.*\)\n {5}Error: no such tool\n/,
    );
    expect(printed).not.toContain('chatter');
  });
});

test('a test run prints which versions of the real programs it uses, and which are missing', async () => {
  await using world = createWorld();
  const chromium = join(world.home, 'chromium');
  writeFileSync(chromium, '#!/bin/sh\necho Chromium 131.0.6778.0 built on something 12', { mode: 0o755 });
  const firefox = join(world.home, 'firefox');
  writeFileSync(firefox, '#!/bin/sh\necho Mozilla Firefox 140.12.0esr', { mode: 0o755 });
  const versions = await versionsInUse({ CHROMIUM: chromium, FIREFOX: firefox });
  expect(versions).toMatch(
    /^Chromium 131\.0\.6778\.0, its headless shell none, Firefox 140\.12\.0esr, Screen [\d.]+, tmux (none|[\d.a-z]+), script [\d.]+, nats-server (none|[\d.]+), Claude Code [\d.]+, Node [\d.]+$/,
  );
  expect(await versionsInUse({ CHROMIUM: '/nowhere/chromium', FIREFOX: '/nowhere/firefox' })).toContain(
    'Chromium none, its headless shell none, Firefox none, ',
  );
});

test('a source file of more than 300 lines is reported, and any other of more than 500; fixtures and what a build leaves for a moment may be of any length', async () => {
  await using world = createWorld();
  const write = (path: string, lines: number) => {
    mkdirSync(dirname(join(world.dir, path)), { recursive: true });
    writeFileSync(join(world.dir, path), 'x\n'.repeat(lines));
  };
  for (const folder of ['scripts', 'bench']) mkdirSync(join(world.dir, folder));
  write('src/a/long.ts', 301);
  write('src/a/fits.ts', 300);
  write('bench/fits.ts', 500);
  write('test/fixtures/data.ts', 9_000);
  write('scripts/docs/.vitepress/.temp/app.js', 9_000);
  expect(oversizedFiles(world.dir)).toEqual([expect.stringMatching(/^src\/a\/long\.ts has 301 lines/)]);
});

describe('the walls between the rooms', () => {
  async function violations(files: Record<string, string>): Promise<string> {
    await using world = createWorld();
    for (const config of ['.dependency-cruiser.cjs', 'tsconfig.base.json']) {
      cpSync(join(ROOT, config), join(world.dir, config));
    }
    writeFileSync(join(world.dir, 'package.json'), '{"type":"module"}');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(world.dir, path)), { recursive: true });
      writeFileSync(join(world.dir, path), text);
    }
    const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src'];
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/depcruise'), args, {
      cwd: world.dir,
      encoding: 'utf8',
      env: { ...world.env, NO_COLOR: '1' },
    });
    return stdout;
  }

  const FORBIDDEN = [
    ['core', 'platform'],
    ['core', 'server'],
    ['protocol', 'core'],
    ['platform', 'server'],
    ['client', 'core'],
    ['cli', 'platform'],
    ['demo', 'server'],
    ['server', 'client'],
  ] as const;

  test('imports against the arrows are refused, including types', async () => {
    const files = FORBIDDEN.flatMap(([from, to]) => [
      [`src/${from}/to-${to}.ts`, `import type { B } from '../${to}/from-${from}.ts';\nexport type A = B;\n`],
      [`src/${to}/from-${from}.ts`, 'export type B = 1;\n'],
    ]);
    const said = await violations(Object.fromEntries(files));
    const refused = [...said.matchAll(/error \S+-imports-\S+: src\/(\w+)\/\S+ → src\/(\w+)\//g)].map(([, from, to]) => [
      from,
      to,
    ]);
    expect(refused.sort()).toEqual(FORBIDDEN.map((pair) => [...pair]).sort());
  });

  test('imports along the arrows are accepted', async () => {
    const said = await violations({
      'src/protocol/p.ts': 'export const p = 1;\n',
      'src/core/c.ts': "export { p } from '../protocol/p.ts';\n",
      'src/platform/o.ts': "import 'node:fs';\nexport { p } from '../core/c.ts';\n",
      'src/server/s.ts': "export { p } from '../platform/o.ts';\n",
      'src/main.ts': "import './server/s.ts';\n",
    });
    expect(said).toContain('no dependency violations found');
  });

  test('Node in core, a room without an arrow, and a circle are refused', async () => {
    const said = await violations({
      'src/core/runtime.ts': "import 'node:fs';\n",
      'src/utils/u.ts': "import '../protocol/p.ts';\n",
      'src/protocol/p.ts': '',
      'src/core/a.ts': "export { b } from './b.ts';\nexport const a = 1;\n",
      'src/core/b.ts': "export { a } from './a.ts';\nexport const b = 1;\n",
    });
    expect(said).toMatch(/error pure-rooms-touch-no-runtime: src\/core\/runtime\.ts/);
    expect(said).toMatch(/error every-room-is-known: src\/utils\/u\.ts/);
    expect(said).toMatch(/error no-cycles: src\/core\/a\.ts/);
  });
});

test.each([
  ['So long is waited before that is believed.', true],
  ['How long to wait before believing it. So that nobody waits twice.', false],
  ['The keys that its keyboard has not.', true],
  ['What the session has not read yet.', false],
  ['1 MB at the most', true],
  ['for who wants more', true],
  ['what stands in the prompt', true],
  ['The session goes on with its work.', true],
  ['The text goes only to sessions that are free.', false],
  ['It is gone for good', true],
  ['The page says so.', true],
  ['The page says so many things.', false],
  ['The turn ends by itself.', true],
  ['The flags exclude each other.', true],
  ['the present state', true],
  ['the present tense', false],
  ['A page in place of the prompt.', true],
  ['The prompt stands above the rule.', true],
])('plain words: %s', (text, isRefused) => {
  expect(bannedIn(text, 'here').length > 0).toBe(isRefused);
});

test.each([
  ["if (status.detail === 'limit') return;", true],
  ["const isNew = primary === 'idle' && detail !== 'ready';", true],
  ["return before?.status.detail === 'error';", true],
  ["if ('setup' === session.status.detail) return;", true],
  ["const failed = { primary: 'idle', detail: 'error' };", true],
  ['switch (status.detail) {', true],
  ['return ENDS.has(detail);', true],
  ['return WORDS[session.status.detail];', true],
  ['const WORDS: Partial<Record<Detail, string>> = {', true],
  ["if (question.kind === 'setup') return;", false],
  ["case 'permission':", false],
  ["if (status.primary === 'idle' && hasFailed(status)) return;", false],
  ['return before.detail === change.detail;', false],
  ['const detail = isDialog ? detailOfQuestion(question.kind) : session.status.detail;', false],
  ['const notice = { detail: `${primary}/${detail}` };', false],
])('status words: %s', (text, isRefused) => {
  expect(decisionsIn(text, 'here').length > 0).toBe(isRefused);
});
