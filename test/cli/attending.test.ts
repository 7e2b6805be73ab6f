import { describe, expect, test } from 'vitest';
import { runCommand, startCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { statusOf, WAITS_FOR_INPUT, WAITS_FOR_PERMISSION, WORKS } from './some-questions.ts';

const served = serveCommands();
// The server uses the machine's clock, so the times in these commands must be later than the current time.
const now = (): number => Date.now();
const run = (...argv: string[]) => runCommand(argv, { ...served.where, now });
const atTerminal = (...argv: string[]) => runCommand(argv, { ...served.where, now, isTTY: true, columns: 120 });
const unread = async (): Promise<string> => (await run('ls', '--unread', '-q')).stdout;

function turn(slug: string): void {
  served.server.sessions.change(slug, WORKS);
  served.server.sessions.change(slug, WAITS_FOR_INPUT);
}

describe('a session that nobody has looked at', () => {
  test('is listed separately, counted, and marked by hand', async () => {
    for (const slug of ['AUTH', 'DOCS', 'REST']) served.server.sessions.add(slug);
    turn('AUTH');
    turn('DOCS');
    expect(await unread()).toBe('AUTH\nDOCS\n');
    expect((await run('status')).stdout).toContain('3 in all, 2 unread');
    expect(await run('seen', 'AUTH', 'DOCS')).toMatchObject({ code: 0, stdout: 'AUTH: read\nDOCS: read\n' });
    expect(await unread()).toBe('');
    expect((await run('unseen', 'REST')).stdout).toBe('REST: unread\n');
    expect(await unread()).toBe('REST\n');
    expect(JSON.parse((await run('seen', 'REST', '--json')).stdout)).toMatchObject([{ slug: 'REST', unread: false }]);
  });

  test('is read by `show` at a terminal, but not by a script that reads it', async () => {
    served.server.sessions.add('AUTH');
    turn('AUTH');
    await run('show', 'AUTH');
    await run('show', 'AUTH', '--json');
    await atTerminal('ls');
    expect(await unread()).toBe('AUTH\n');
    expect((await atTerminal('show', 'AUTH')).code).toBe(0);
    expect(await unread()).toBe('');
  });

  test('is read by `attach`, up to what was there when the person left', async () => {
    served.server.sessions.add('AUTH');
    turn('AUTH');
    const host = {
      runAttached: async () => {
        turn('AUTH');
        return 0;
      },
    };
    expect((await runCommand(['attach', 'AUTH'], { ...served.where, isTTY: true, host })).code).toBe(0);
    expect(await unread()).toBe('');
  });

  test('one unknown name keeps all of them from being marked', async () => {
    served.server.sessions.add('AUTH');
    turn('AUTH');
    expect((await run('seen', 'AUTH', 'NOPE')).code).toBe(3);
    expect(await unread()).toBe('AUTH\n');
  });

  test('--unread and another --state cannot be combined', async () => {
    expect(await run('ls', '--unread', '--state', 'done')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('snooze', () => {
  test('removes a session from those that need you, under its own heading', async () => {
    served.server.sessions.add('AUTH', WAITS_FOR_PERMISSION);
    expect((await run('snooze', 'AUTH', '--until-asks')).stdout).toBe('AUTH: snoozed until it asks\n');
    expect((await run('ls', '--state', 'needs-you', '-q')).stdout).toBe('');
    expect((await run('ls', '--state', 'snoozed', '-q')).stdout).toBe('AUTH\n');
    expect((await run('ls')).stdout).toContain('snoozed until it asks');
    expect((await run('show', 'AUTH')).stdout).toContain('snoozed until it asks: asks permission for');
    expect((await run('status')).stdout).toContain('z 1 snoozed');
    expect((await run('unsnooze', 'AUTH')).stdout).toBe('AUTH: not snoozed\n');
    expect((await run('ls', '--state', 'needs-you', '-q')).stdout).toBe('AUTH\n');
  });

  test('accepts several conditions', async () => {
    for (const slug of ['AUTH', 'BUILD', 'CI']) served.server.sessions.add(slug);
    const { stdout } = await run(
      'snooze',
      'AUTH',
      '--until',
      '2h',
      '--until-ends',
      'BUILD',
      '--until-ends',
      'CI',
      '--json',
    );
    const { snoozed } = JSON.parse(stdout) as { snoozed: { until: string } };
    expect(snoozed).toMatchObject({ until_ends: ['BUILD', 'CI'], until_asks: false, until_turn_ends: false });
    expect(Math.round((Date.parse(snoozed.until) - now()) / 60_000)).toBe(120);
  });

  test.each([
    [['--until', 'later'], 2, '"later" isn\'t a valid time'],
    [['--until-ends', 'NOPE'], 3, 'NOPE'],
    [['--until', '2001-01-01'], 2, 'has passed'],
  ])('%j is refused', async (options, code, said) => {
    served.server.sessions.add('AUTH');
    const result = await run('snooze', 'AUTH', ...options);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(said);
    expect((await run('ls', '--state', 'snoozed', '-q')).stdout).toBe('');
  });

  test('`wait` waits for what a session does, snoozed or not', async () => {
    served.server.sessions.add('AUTH', WORKS);
    await run('snooze', 'AUTH', '--until', '2h');
    const waiting = startCommand(['wait', 'AUTH', '--for', 'needs-you'], { ...served.where, now });
    served.server.sessions.change('AUTH', { state: 'error', status: statusOf({ primary: 'idle', detail: 'error' }) });
    expect(await waiting.ended).toBe(0);
  });

  test('a text for sessions that are done skips snoozed ones, as the list does', async () => {
    for (const slug of ['AUTH', 'DOCS']) served.server.sessions.add(slug, WAITS_FOR_INPUT);
    await run('snooze', 'AUTH', '--until', '2h');
    await run('send', '--state', 'done', '--yes', 'commit');
    expect(served.server.sessions.deliveries('AUTH')).toHaveLength(0);
    expect(served.server.sessions.deliveries('DOCS')).toHaveLength(1);
  });
});
