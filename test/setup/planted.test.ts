import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyCheckout, withFault } from '../../scripts/planted/copy.mjs';
import type { Fault } from '../../scripts/planted/faults.mjs';
import { Trial } from '../../scripts/planted/trial.mjs';
import { ROOT } from '../../scripts/root.mjs';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { waitFor } from '../harness/wait-for.ts';

const FAULT: Fault = {
  ...{ name: 'open-door', page: 'README.md', promise: 'The door is closed.' },
  ...{ file: 'src/door.ts', text: 'closed', instead: 'open', suites: ['test/door.test.ts'] },
};

let root: string;
beforeEach(() => {
  root = makeTemporaryFolder();
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root });
  for (const folder of ['src', 'test/planted', 'node_modules/.cache', 'node_modules/tool', 'build'])
    mkdirSync(join(root, folder), { recursive: true });
  git('init', '--quiet');
  write('.gitignore', '/node_modules/\n/build/\n');
  write('src/door.ts', 'committed');
  write('src/gone.ts', 'committed');
  write('test/planted/planted.test.ts', '');
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=door');
  write('src/door.ts', 'closed');
  write('src/new.ts', 'not committed');
  write('build/report.json', '{}');
  rmSync(join(root, 'src/gone.ts'));
});
afterEach(() => rmSync(root, { recursive: true }));
const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const readIn = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

test('a copy has what the checkout has now, without what git ignores, and shares its packages', () => {
  const copy = join(root, 'build', 'copy');
  copyCheckout(root, copy);
  expect(readIn(copy, 'src/door.ts')).toBe('closed');
  expect(readIn(copy, 'src/new.ts')).toBe('not committed');
  for (const name of ['src/gone.ts', 'build', 'node_modules/.cache', 'test/planted'])
    expect(existsSync(join(copy, name)), name).toBe(false);
  expect(existsSync(join(copy, 'node_modules/tool'))).toBe(true);
  writeFileSync(join(copy, 'src/door.ts'), 'open');
  expect(readIn(root, 'src/door.ts')).toBe('closed');
});

test('a fault is planted only where its text occurs exactly once', () => {
  expect(withFault('a closed door', FAULT)).toBe('a open door');
  expect(withFault('a closed door', { text: 'closed', instead: '$& $1' })).toBe('a $& $1 door');
  for (const source of ['no door', 'closed and closed']) expect(() => withFault(source, FAULT)).toThrow('exactly once');
});

describe('a fault', () => {
  /** Tools that report what fails, by the suites asked for and whether the fault is in the sources. */
  const trial = (
    fails: (suites: readonly string[], isPlanted: boolean) => string[],
    { isQuick = false, compiles = true } = {},
  ) => {
    const isPlanted = (): boolean => readIn(root, FAULT.file) === 'open';
    return new Trial(root, {
      isQuick,
      tools: {
        build: async () => ({ code: compiles || !isPlanted() ? 0 : 1, output: 'TS2322' }),
        runSuites: async (suites) => fails(suites, isPlanted()),
      },
    });
  };
  const FAILURE = 'test/door.test.ts > the door > is closed: expected';

  test('is caught by a test that fails with it and passes without it', async () => {
    const outcome = await trial((_, isPlanted) => (isPlanted ? [FAILURE] : [])).try(FAULT);
    expect(outcome).toEqual({ kind: 'caught', by: FAILURE });
    expect(readIn(root, FAULT.file)).toBe('closed');
  });

  test('says nothing if its suite also fails without it, or if it does not compile', async () => {
    expect(await trial(() => [FAILURE]).try(FAULT)).toEqual({
      kind: 'broken',
      why: 'test/door.test.ts fails without a fault',
    });
    expect(await trial(() => [], { compiles: false }).try(FAULT)).toEqual({ kind: 'broken', why: 'TS2322' });
    expect(readIn(root, FAULT.file)).toBe('closed');
  });

  test('is caught by another suite if its own find nothing, unless only those are to run', async () => {
    const other = 'test/other.test.ts > the wall: expected';
    const fails = (suites: readonly string[], isPlanted: boolean): string[] =>
      isPlanted && suites.length === 0 ? [other] : [];
    expect(await trial(fails).try(FAULT)).toEqual({ kind: 'caught', by: other });
    expect(await trial(fails, { isQuick: true }).try(FAULT)).toEqual({ kind: 'survived' });
  });

  test('survives if the only suite that fails also fails without it', async () => {
    write('test/flaky.test.ts', '');
    const fails = (suites: readonly string[]): string[] =>
      (suites.length === 0 || suites.includes('test/flaky.test.ts')) && existsSync(join(root, 'test/flaky.test.ts'))
        ? ['test/flaky.test.ts > now and then: expected']
        : [];
    expect(await trial(fails).try(FAULT)).toEqual({ kind: 'survived' });
  });
});

test('whatever ends the command, its processes end and its copy is removed', async () => {
  const guard = join(ROOT, 'scripts', 'planted', 'guard.mjs');
  const script = `
    import { spawn } from 'node:child_process';
    import { openGuardedFolder } from ${JSON.stringify(guard)};
    const { folder, mark } = await openGuardedFolder();
    const child = spawn('sleep', ['600'], { env: { ...process.env, ...mark }, detached: true, stdio: 'ignore' });
    child.once('spawn', () => process.stdout.write(JSON.stringify({ folder, pid: child.pid })));`;
  const command = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { folder, pid } = JSON.parse(String((await once(command.stdout, 'data'))[0]));
  expect([existsSync(folder), existsSync(`/proc/${pid}`)]).toEqual([true, true]);
  command.kill('SIGKILL');
  await waitFor(() => !existsSync(folder) && !existsSync(`/proc/${pid}`), { describe: 'both are gone' });
});

describe('npm run planted', () => {
  const planted = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'planted.mjs'), ...args], { encoding: 'utf8' });

  test('lists the faults with their promises, and explains itself', () => {
    expect(planted('--list', 'token-readable-by-others').stdout).toMatch(
      /^token-readable-by-others\n {4}docs\/SECURITY\.md: .+\n$/,
    );
    expect(planted('--help').stdout).toMatch(/^usage: npm run planted/);
  });

  test('plants nothing if a name or an option is unknown', () => {
    const { status, stderr } = planted('no-such-fault');
    expect([status, stderr]).toEqual([2, 'no fault is named no-such-fault; `npm run planted -- --list` lists them\n']);
    expect(planted('--no-such-option').status).toBe(2);
  });
});
