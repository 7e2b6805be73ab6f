import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Recordings } from '../../src/protocol/index.ts';
import { displayWidth } from '../../src/text/display-width.ts';
import { type FacesUnderTest, NO_RECORDINGS, startFaces } from '../harness/faces.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { statusOf, WAITS_FOR_PERMISSION } from './some-questions.ts';

const DISK: Recordings = { ...NO_RECORDINGS, max_total_size: 10_000_000_000, free_bytes: 5_000_000 };
const BRANCHES = new Map([['/home/user/src/auth', 'main']]);
let disk = DISK;
let server: FacesUnderTest;
let where: CommandOptions;

beforeAll(async () => {
  server = await startFaces({ recordings: async () => disk });
  where = { socket: `${server.world.cbosHome}/cbos.sock`, host: { gitBranches: async () => BRANCHES } };
  server.sessions.add('AUTH', {
    path: '/home/user/src/auth',
    buffer_tail: '│ npm test\n❯ 1. Yes',
    ...WAITS_FOR_PERMISSION,
  });
  server.sessions.add('日本', {});
  server.sessions.add('BUILD', {
    path: '/srv/build',
    state: 'working',
    status: statusOf({
      primary: 'stuck',
      detail: null,
      health: 'STUCK',
      because: { source: 'hook', rule: 'hook.PreToolUse', evidence: 'Bash: make 世界' },
    }),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

describe('ls', () => {
  test('shows each session with icon, state, time, path and what it asks, aligned as the eye sees it', async () => {
    const { code, stdout, stderr } = await runCommand(['ls'], where);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      '   NAME   STATE            FOR     PATH        BRANCH  SAYS',
      '○  AUTH   asks permission  1m 00s  ~/src/auth  main    Bash: npm test',
      '!  BUILD  no sign of life  1m 00s  /srv/build          Bash: make 世界',
      '◌  日本   new              1m 00s  /tmp',
      '',
    ]);
  });

  test('has no escape sequence in a pipe, with NO_COLOR, or on a dumb terminal, and has colours otherwise', async () => {
    const escapes = async (options: Partial<CommandOptions>): Promise<boolean> =>
      (await runCommand(['ls'], { ...where, ...options })).stdout.includes('\u001b');
    expect(await escapes({})).toBe(false);
    expect(await escapes({ isTTY: true, env: { NO_COLOR: '1' } })).toBe(false);
    expect(await escapes({ isTTY: true, env: { TERM: 'dumb' } })).toBe(false);
    expect(await escapes({ isTTY: true })).toBe(true);
    expect(await escapes({ isTTY: true, env: { NO_COLOR: '' } })).toBe(true);
  });

  test('fits its lines into the terminal', async () => {
    const { stdout } = await runCommand(['ls'], { ...where, isTTY: true, columns: 61, env: { NO_COLOR: '1' } });
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(61);
    // The path gets less room, so that the session's own text fits.
    expect(lines[3]).toMatch(/no sign of life +1m 00s +Bash: make 世界$/);
  });

  test('has headings on a terminal, with the sessions that need the person first, and none in a pipe or in another order', async () => {
    const terminal = { ...where, isTTY: true, columns: 120, env: { NO_COLOR: '1' } };
    const lines = async (...argv: string[]): Promise<string[]> =>
      (await runCommand(['ls', ...argv], terminal)).stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 13).trimEnd());
    expect(await lines()).toEqual([
      '   NAME   STA',
      'Needs you (2)',
      '○  AUTH   ask',
      '!  BUILD  no',
      'New (1)',
      '◌  日本   new',
    ]);
    expect(await lines('--sort', 'name')).toEqual(['   NAME   STA', '○  AUTH   ask', '!  BUILD  no', '◌  日本   new']);
  });

  test('shows the requested columns in the requested order, or only names', async () => {
    const { stdout } = await runCommand(['ls', '--columns', 'type,name', '--sort', 'name', '--reverse'], where);
    expect(stdout).toBe('   TYPE    NAME\n◌  screen  日本\n!  screen  BUILD\n○  screen  AUTH\n');
    expect((await runCommand(['ls', '-q', '-s', 'needs-you'], where)).stdout).toBe('AUTH\nBUILD\n');
    const [titles] = (await runCommand(['ls', '-l'], where)).stdout.split('\n');
    expect(titles).toMatch(/NAME +STATE +FOR +PATH +BRANCH +SAYS +UNREAD +TYPE +PID +MEMORY +CPU +CREATED +ACTIVE/);
    for (const argv of [['--columns', 'name,colour'], ['-q', '--json'], ['--sort', 'luck'], ['--watch']])
      expect((await runCommand(['ls', ...argv], where)).code).toBe(2);
  });

  test('selects by state, and refuses an unknown state with exit code 2', async () => {
    const selected = await runCommand(['ls', '--state', 'waiting/permission'], where);
    expect(selected.stdout).toContain('AUTH');
    expect(selected.stdout).not.toContain('BUILD');
    const refused = await runCommand(['ls', '--state', 'sleepy'], where);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^cbos: .*sleepy.*Use one of waiting, .*idle\/ready.* — cbos ls --help\n$/);
  });

  test('prints the REST body with --json', async () => {
    const { stdout } = await runCommand(['ls', '--json'], where);
    expect(JSON.parse(stdout)).toEqual((await server.call('/sessions')).json());
  });

  test('prints what to do if nothing is listed, and nothing on standard output', async () => {
    const { code, stdout, stderr } = await runCommand(['ls', '--state', 'dead'], where);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'cbos: no session is dead — cbos ls\n' });
  });
});

describe('show', () => {
  test('prints status, reason, question and the exact commands that answer it', async () => {
    const { code, stdout } = await runCommand(['show', 'AUTH'], where);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '○ AUTH  asks permission for 1m 00s',
      '',
      'AUTH asks for permission:',
      '',
      '  Bash',
      '    command: npm test',
      '    description: Runs the tests',
      '  Do you want to proceed?',
      '    1. Yes',
      '    2. Yes, and don’t ask again',
      '    3. No — and say what to do',
      '',
      '  cbos answer AUTH 1                  # Yes',
      '  cbos answer AUTH 2                  # Yes, and don’t ask again',
      '  cbos answer AUTH 3                  # No',
      "  cbos answer AUTH no --reply 'TEXT'  # say no, and tell Claude what to do",
      '',
      '  path        ~/src/auth (main)',
      '',
    ]);
  });

  test('shows the reason, the processes and the screen with --verbose', async () => {
    const { stdout } = await runCommand(['show', 'AUTH', '-v'], where);
    expect(stdout.split('\n').slice(-10)).toEqual([
      '  path        ~/src/auth (main)',
      '  because     hook.PermissionRequest: Bash: npm test (hook)',
      '  screen      100.AUTH, 80×24',
      '  pid         101',
      '  created     1m 00s ago',
      '  active      1m 00s ago',
      '',
      '  │ │ npm test',
      '  │ ❯ 1. Yes',
      '',
    ]);
  });

  test('finds a session by its name in another case; programs and other commands get a suggestion', async () => {
    expect((await runCommand(['show', 'auth'], where)).stdout).toContain('AUTH asks for permission');
    for (const argv of [
      ['show', 'auth', '--json'],
      ['show', 'AUHT'],
      ['stop', 'au'],
    ]) {
      const { code, stderr } = await runCommand(argv, where);
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('did you mean AUTH?') });
    }
  });

  test('exits with 3 for a session that does not exist, even for names that are other addresses', async () => {
    for (const slug of ['NOPE', 'status', '..', '', 'a/b', 'AUTH/kill']) {
      const { code, stdout, stderr } = await runCommand(['show', slug], where);
      expect({ slug, code, stdout }).toEqual({ slug, code: 3, stdout: '' });
      expect(stderr).toMatch(/^cbos: No session .* — `cbos ls` lists the sessions\n$/);
    }
  });
});

describe('status', () => {
  test('counts', async () => {
    const { stdout } = await runCommand(['status'], where);
    const counts = '○ 2 need you\n◌ 1 new\n  3 in all, 1 unread\n';
    expect(stdout).toBe(`${counts}\nrecordings take 0 kB of 10.0 GB, the disk has 5 MB left\n`);
    const json = await runCommand(['status', '--json'], where);
    expect(JSON.parse(json.stdout)).toMatchObject({ total: 3, by_state: { waiting: 1 }, recordings: DISK });
  });

  test('names the sessions that are not recorded, and what was dropped', async () => {
    const at = '2026-11-19T12:00:00.000Z';
    const drop = { recording: 'AUTH', reason: 'max_recording_size', bytes: 12_345_678, whole: false, at } as const;
    const gone = { recording: 'OLD.1', reason: 'keep_days', bytes: 400_000, whole: true, at } as const;
    disk = { ...DISK, fault: 'ENOSPC', not_recorded: ['AUTH'], dropped: [drop, gone, gone, gone] };
    const { stdout } = await runCommand(['status'], where);
    expect(stdout.split('\n').slice(-6)).toEqual([
      'not recorded: AUTH; the disk is full',
      'dropped: the oldest 12 MB of AUTH (max_recording_size), 2026-11-19',
      'dropped: all 400 kB of OLD.1 (keep_days), 2026-11-19',
      'dropped: all 400 kB of OLD.1 (keep_days), 2026-11-19',
      'dropped: 1 more; cbos status --json',
      '',
    ]);
    server.sessions.change('BUILD', { recording_stopped_at: '2026-11-20T15:05:00.000Z' });
    for (const argv of [['ls'], ['show', 'BUILD']])
      expect((await runCommand(argv, where)).stdout).toMatch(/not recorded since \d\d:05:00: the disk is full/);
  });

  test('reports what keeps keys from a session, as far as it is known', async () => {
    server.sessions.change('BUILD', { screen_prompt_at: '2026-11-20T15:05:00.000Z' });
    for (const argv of [['ls'], ['show', 'BUILD']])
      expect((await runCommand(argv, where)).stdout).toMatch(/copy mode or a prompt of Screen was open/);
  });
});
