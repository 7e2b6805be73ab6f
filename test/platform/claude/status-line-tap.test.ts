import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hookSettings, launchSettingsFile, writeHookSettings } from '../../../src/platform/claude/hook-settings.ts';
import { readLaunch } from '../../../src/platform/claude/launch.ts';
import { readStatusLine } from '../../../src/platform/claude/status-line.ts';
import { tapCommand, tapStatusLine } from '../../../src/platform/claude/status-line-tap.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import { waitFor } from '../../harness/wait-for.ts';

const VERSION = { major: 2, minor: 1, patch: 330 };
const LAUNCH = '00000000-0000-4000-8000-000000000001';
/**
 * The input as Claude Code 2.1.330 writes it, on one line. A backslash, a quote, and a dollar sign must arrive
 * unchanged.
 */
const INPUT = `${JSON.stringify({ session_id: 'x', cwd: '/tmp/a "b" $HOME \\ `id` %s', cost: { total_cost_usd: 1.5 } })}\n`;

let dir: string;
let reports: string;
beforeEach(() => {
  dir = makeTemporaryFolder();
  reports = join(dir, 'home/status-lines');
  mkdirSync(reports, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));

interface Ran {
  stdout: Buffer;
  stderr: string;
  code: number | null;
}

/** Runs a status line as Claude Code does: by `/bin/sh -c`, with the input on standard input (2.1.330). */
function run(command: string, { shell = '/bin/sh', input = INPUT, env = {} } = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, ['-c', command], {
      cwd: dir,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: dir,
        COLUMNS: '120',
        CBOS_SPOOL: join(dir, 'home/hooks'),
        CBOS_SESSION: LAUNCH,
        ...env,
      },
    });
    const stdout: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => stdout.push(data));
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    // A script that does not read its input closes the pipe.
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', (code) => resolve({ stdout: Buffer.concat(stdout), stderr, code }));
    // A command that needs no input may end without reading it.
    child.stdin.on('error', () => undefined).end(input);
  });
}

const reportFile = (): string => join(reports, `${LAUNCH}.json`);
const untilReported = (): Promise<unknown> =>
  waitFor(() => readdirSync(reports).join() === `${LAUNCH}.json`, { describe: 'the report is whole' });

const SCRIPTS: Readonly<Record<string, string>> = {
  'colours and wide characters': `printf '\\033[31mred\\033[0m ▲ 日本 \\033]8;;https://a.b\\033\\\\link\\033]8;;\\033\\\\'`,
  'several lines': `echo one; echo; echo "  three  "; printf 'no end'`,
  'one that prints its input': 'cat',
  'one that reads its input by lines': 'while read -r line; do printf "[%s]" "$line"; done',
  'one that reads /dev/stdin twice': 'head -c 10; cat - | wc -c',
  'one that reads no input': 'echo fixed',
  quotes: `echo "it's" 'a "b"' "\\$HOME" '$(id)' \`echo back\` \\\\ "$(printf '%s' "$COLUMNS")"`,
  'one that fails': 'echo half; exit 3',
  'one that is killed': 'echo half; kill -9 $$',
  "one that isn't a program": '/no/such/program --line',
  'one that cannot be parsed': 'echo "open',
  'one that does not end its if': 'echo before\nif true; then',
  'one that is slow': 'sleep 0.3; cat | tail -c 5',
  'one with its own here-document': 'cat <<CBOS_END\n$COLUMNS\nCBOS_END\ncat',
  'a comment at its end': 'echo shown # not shown',
  '300 kB': `i=0; while [ $i -lt 3000 ]; do printf '%0100d' $i; i=$((i+1)); done`,
  'its environment': 'env | grep -v "^_=" | sort; pwd; echo "$0 $# $-"; set | grep -c cbos_report',
  'its own options': 'set -eu; cat >/dev/null; false; echo never',
  'one that waits for its children': 'echo a & wait; echo b',
  'nothing at all': '',
};

describe.each(['/bin/dash', '/bin/bash'])('in %s', (shell) => {
  test.each(Object.entries(SCRIPTS))('%s: the same bytes and exit code with the tap', async (_, script) => {
    const [without, tapped] = await Promise.all([run(script, { shell }), run(tapCommand(script), { shell })]);
    expect(tapped.stdout.equals(without.stdout)).toBe(true);
    expect(tapped.code).toBe(without.code);
    // A shell's message contains a line number of the whole command. Only the number of messages is therefore compared.
    const lines = (text: string): number => text.split('\n').length;
    expect(lines(tapped.stderr)).toBe(lines(without.stderr));
    // The process that reports outlives the script, and the folder cannot be removed while it writes.
    await untilReported();
  });

  test('the report is what Claude Code wrote, readable only by this user, and nothing else is left', async () => {
    await run(tapCommand('cat'), { shell });
    await untilReported();
    expect(readFileSync(reportFile(), 'utf8')).toBe(INPUT);
    expect(statSync(reportFile()).mode & 0o777).toBe(0o600);
  });

  test('an input of 300 kB arrives completely', async () => {
    const input = `{"x":"${'é\\"'.repeat(75_000)}"}\n`;
    const { stdout } = await run(tapCommand('cat'), { shell, input });
    expect(stdout.toString()).toBe(input);
    await untilReported();
    expect(readFileSync(reportFile(), 'utf8')).toBe(input);
  });

  test.each([
    ['CBOS is gone', { CBOS_SPOOL: '/no/such/home/hooks' }],
    ['the environment was cleared', { CBOS_SPOOL: '', CBOS_SESSION: '' }],
    ['there is nowhere to write', { CBOS_SPOOL: '/proc/self/hooks' }],
  ])("the user's line works if %s", async (_, env) => {
    const { stdout, stderr, code } = await run(tapCommand('cat; exit 7'), { shell, env });
    expect([stdout.toString(), stderr, code]).toEqual([INPUT, '', 7]);
  });
});

test('a slow script is a single process for whoever ends it, and the report does not wait for it', async () => {
  const child = spawn('/bin/sh', ['-c', tapCommand('exec sleep 60')], {
    env: { PATH: '/usr/bin:/bin', CBOS_SPOOL: join(dir, 'home/hooks'), CBOS_SESSION: LAUNCH },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A command that needs no input may end without reading it.
  child.stdin.on('error', () => undefined).end(INPUT);
  await untilReported();
  await waitFor(() => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').startsWith('sleep'), {
    describe: 'the shell that Claude Code started has become the script',
  });
  child.kill('SIGTERM');
  await closed;
});

test('a report that cannot be written completely replaces nothing', async () => {
  await run(tapCommand('cat'));
  await untilReported();
  // From here on the tap cannot rename its draft.
  const file = join(dir, 'bin/mv');
  mkdirSync(join(dir, 'bin'));
  writeFileSync(file, '#!/bin/sh\nexit 1\n');
  chmodSync(file, 0o755);
  const { stdout } = await run(tapCommand('cat'), {
    input: '{"other":1}\n',
    env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` },
  });
  expect(stdout.toString()).toBe('{"other":1}\n');
  await untilReported();
  expect(readFileSync(reportFile(), 'utf8')).toBe(INPUT);
});

describe('the owner of a status line', () => {
  const write = (path: string, value: unknown): void => {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), typeof value === 'string' ? value : JSON.stringify(value));
  };
  const line = (command: string, more = {}) => ({ statusLine: { type: 'command', command, ...more } });
  const read = () =>
    readStatusLine({ env: { HOME: dir }, cwd: join(dir, 'project'), managedFile: join(dir, 'managed.json') });

  test('nobody has one', async () => {
    expect(await read()).toBeNull();
    write('.claude/settings.json', { permissions: {} });
    expect(await read()).toBeNull();
  });

  test('the local file wins over the project, and the project over the user, field by field', async () => {
    write('.claude/settings.json', line('mine', { padding: 2, refreshInterval: 5, hideVimModeIndicator: true }));
    expect(await read()).toEqual({
      type: 'command',
      command: 'mine',
      padding: 2,
      refreshInterval: 5,
      hideVimModeIndicator: true,
    });
    write('project/.claude/settings.json', line('theirs', { padding: 0 }));
    write('project/.claude/settings.local.json', { statusLine: { refreshInterval: 1 } });
    expect(await read()).toEqual({
      type: 'command',
      command: 'theirs',
      padding: 0,
      refreshInterval: 1,
      hideVimModeIndicator: true,
    });
    write('managed.json', line('the organization'));
    expect(await read()).toBe('managed');
  });

  test.each([
    ['broken JSON', '{"statusLine":{'],
    ['another type', { statusLine: { type: 'text', command: 'x' } }],
    ['no command', { statusLine: { type: 'command' } }],
    ['a list', []],
    ['2 MB', `{"x":"${'y'.repeat(2_000_000)}","statusLine":{"type":"command","command":"x"}}`],
  ])('%s does not count', async (_, value) => {
    write('project/.claude/settings.json', value);
    expect(await read()).toBeNull();
  });

  test('a user without one gets a tap only through the setting', () => {
    const own = { type: 'command' as const, command: 'mine', padding: 1 };
    expect(tapStatusLine(VERSION, null, 'own')).toBeNull();
    expect(tapStatusLine(VERSION, null, 'always')).toEqual({ type: 'command', command: tapCommand(null) });
    expect(tapStatusLine(VERSION, own, 'never')).toBeNull();
    expect(tapStatusLine(VERSION, 'managed', 'always')).toBeNull();
    expect(tapStatusLine({ major: 2, minor: 0, patch: 77 }, own, 'own')).toBeNull();
    expect(tapStatusLine(VERSION, own, 'own')).toEqual({ ...own, command: tapCommand('mine') });
    expect(tapStatusLine(VERSION, { ...own, command: 'x'.repeat(40_000) }, 'own')).toBeNull();
  });

  test('launches with different status lines have different settings files, and the version can be read back', () => {
    const tapped = tapStatusLine(VERSION, { type: 'command', command: 'mine' }, 'own');
    const file = launchSettingsFile(dir, VERSION, { statusLine: tapped });
    expect(file).not.toBe(launchSettingsFile(dir, VERSION, {}));
    expect(readLaunch(['claude', '--settings', file]).version).toBe('2.1.330');
    writeHookSettings(file, VERSION, { statusLine: tapped });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...hookSettings(VERSION), statusLine: tapped });
    expect(hookSettings(VERSION)).not.toHaveProperty('statusLine');
  });
});
