import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Recordings } from '../../src/protocol/index.ts';
import { displayWidth } from '../../src/text/display-width.ts';
import { type FacesUnderTest, NO_RECORDINGS, startFaces } from '../harness/faces.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { statusOf, WAITS_FOR_PERMISSION } from './some-questions.ts';

const DISK: Recordings = { ...NO_RECORDINGS, max_total_size: 10_000_000_000, free_bytes: 5_000_000 };
let disk = DISK;
let server: FacesUnderTest;
let where: CommandOptions;

beforeAll(async () => {
  server = await startFaces({ recordings: async () => disk });
  where = { socket: `${server.world.cbosHome}/cbos.sock` };
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
      '   SLUG   STATE                 FOR     PATH        SAYS',
      '○  AUTH   waiting (permission)  1m 00s  ~/src/auth  Bash: npm test',
      '◌  日本   idle                  1m 00s  /tmp',
      '!  BUILD  stuck (working)       1m 00s  /srv/build  Bash: make 世界',
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
    const { stdout } = await runCommand(['ls'], { ...where, isTTY: true, columns: 65, env: { NO_COLOR: '1' } });
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(65);
    // The path gives way to what the session says.
    expect(lines[3]).toMatch(/stuck \(working\) +1m 00s +Bash: make 世界$/);
  });

  test('selects by state and refuses a word that is no state with exit code 2', async () => {
    const selected = await runCommand(['ls', '--state', 'waiting/permission'], where);
    expect(selected.stdout).toContain('AUTH');
    expect(selected.stdout).not.toContain('BUILD');
    const refused = await runCommand(['ls', '--state', 'sleepy'], where);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^cbos: .*sleepy.*must be one of waiting, .*idle\/ready.* — cbos ls --help\n$/);
  });

  test('prints the REST body with --json', async () => {
    const { stdout } = await runCommand(['ls', '--json'], where);
    expect(JSON.parse(stdout)).toEqual((await server.call('/sessions')).json());
  });

  test('says what to do where nothing is listed, and nothing on standard output', async () => {
    const { code, stdout, stderr } = await runCommand(['ls', '--state', 'dead'], where);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'cbos: no session is dead — cbos ls\n' });
  });
});

describe('show', () => {
  test('prints status, reason, question and the exact commands that answer it', async () => {
    const { code, stdout } = await runCommand(['show', 'AUTH'], where);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '○ AUTH  waiting (permission) for 1m 00s',
      '  path        ~/src/auth',
      '  because     hook.PermissionRequest: Bash: npm test (hook)',
      '  screen      100.AUTH, 80×24',
      '  pid         101',
      '  created     1m 00s ago',
      '  active      1m 00s ago',
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
      '  cbos answer AUTH 1                   # Yes',
      '  cbos answer AUTH 2                   # Yes, and don’t ask again',
      '  cbos answer AUTH 3                   # No',
      "  cbos answer AUTH no --remark 'TEXT'  # no, and what to do instead",
      '',
      '  │ │ npm test',
      '  │ ❯ 1. Yes',
      '',
    ]);
  });

  test('ends with exit code 3 for a session that does not exist, also for names that are other addresses', async () => {
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
    const counts = 'STATE    SESSIONS\nwaiting  1\nworking  1\nidle     1\nall      3\n';
    expect(stdout).toBe(`${counts}\nrecordings take 0 kB of 10.0 GB, the disk has 5 MB left\n`);
    const json = await runCommand(['status', '--json'], where);
    expect(JSON.parse(json.stdout)).toMatchObject({ total: 3, by_state: { waiting: 1 }, recordings: DISK });
  });

  test('says which sessions are not recorded, and what was dropped', async () => {
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

  test('says what keeps keys from a session, as far as it is known', async () => {
    server.sessions.change('BUILD', { screen_prompt_at: '2026-11-20T15:05:00.000Z' });
    for (const argv of [['ls'], ['show', 'BUILD']])
      expect((await runCommand(argv, where)).stdout).toMatch(/in Screen's copy mode, or at one of its prompts/);
  });
});
