import { beforeEach, describe, expect, test } from 'vitest';
import { LOST } from '../harness/some-sessions.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();

beforeEach(() => {
  const { sessions } = cli.server;
  sessions.restores = () => ({ outcome: 'restored' });
  sessions.add('AUTH', LOST);
  sessions.add('DOCS', LOST);
  sessions.add('RUNS');
});
const restore = (...words: string[]): Promise<CommandResult> => runCommand(['restore', ...words], cli.where);
const lost = (): string[] => cli.server.sessions.list().flatMap((one) => (one.lost === undefined ? [] : [one.slug]));

describe('restore', () => {
  test('--dry-run reports what would come back, and does nothing', async () => {
    const { code, stdout } = await restore('--dry-run');
    expect(code).toBe(0);
    expect(stdout).toBe(
      'AUTH would come back with its conversation (the machine was restarted)\nDOCS would come back with its conversation (the machine was restarted)\n',
    );
    expect(lost()).toEqual(['AUTH', 'DOCS']);
    expect(JSON.parse((await restore('-n', '--json')).stdout)).toMatchObject({
      state: 'planned',
      sessions: [{ session: 'AUTH', how: 'resume', lost: 'reboot' }, { session: 'DOCS' }],
    });
  });

  test.each([
    ['y\n', 0, []],
    ['n\n', 1, ['AUTH', 'DOCS']],
    ['', 1, ['AUTH', 'DOCS']],
  ])('asks on a terminal before it brings back all: %j', async (typed, code, left) => {
    const result = await runCommand(['restore'], { ...cli.where, isTTY: true, stdin: typed });
    expect(result.stderr).toContain('Bring back 2 sessions (AUTH, DOCS)? [y/N]');
    expect({ code: result.code, left: lost() }).toEqual({ code, left });
  });

  test('does nothing if nobody can be asked, unless --yes is given', async () => {
    const { code, stderr } = await restore();
    expect({ code, left: lost() }).toEqual({ code: 2, left: ['AUTH', 'DOCS'] });
    expect(stderr).toContain('The command needs a terminal to ask this — add --yes');
    expect(await restore('--yes')).toEqual({
      code: 0,
      stdout: 'AUTH is running again, with its conversation\nDOCS is running again, with its conversation\n',
      stderr: '',
    });
    const { code: again, stderr: none } = await restore('--yes');
    expect({ again, none }).toEqual({ again: 0, none: expect.stringContaining('no session is lost') });
  });

  test('asks nothing if sessions are named, and reports which it leaves', async () => {
    const { code, stdout } = await restore('AUTH', 'RUNS');
    expect({ code, stdout }).toEqual({
      code: 4,
      stdout: 'RUNS stays as it is: it is running\nAUTH is running again, with its conversation\n',
    });
    expect(lost()).toEqual(['DOCS']);
    expect((await restore('RUNS')).code).toBe(4);
    expect((await restore('DOCS', 'NOBODY')).code).toBe(3);
    expect(lost()).toEqual(['DOCS']);
  });

  test('reports each failure with its cure, and that the rest was not tried', async () => {
    cli.server.sessions.restores = (slug) =>
      slug === 'AUTH'
        ? { outcome: 'failed', error: { code: 'claude_not_found', message: 'No claude', hint: 'Install it' } }
        : { outcome: 'not_tried' };
    const { code, stdout, stderr } = await restore('--yes');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'AUTH failed: No claude; Install it\nDOCS not tried\n' });
    expect(stderr).toContain('stopped after repeated failures: 1 not tried — cbos restore tries again');
    const json = await restore('--yes', '--json');
    expect({ code: json.code, body: JSON.parse(json.stdout) }).toMatchObject({
      code: 1,
      body: { state: 'stopped', sessions: [{ outcome: 'failed' }, { outcome: 'not_tried' }] },
    });
  });
});

test('ls and show report that a session is lost, and how to bring it back', async () => {
  const { stdout } = await runCommand(['ls'], cli.where);
  expect(stdout).toMatch(/⊘ +AUTH +lost .+the machine was restarted; cbos restore/);
  expect((await runCommand(['ls', '-q', '--state', 'lost'], cli.where)).stdout).toBe('AUTH\nDOCS\n');
  const shown = await runCommand(['show', 'AUTH'], cli.where);
  expect(shown.stdout).toMatch(/AUTH {2}lost for/);
  expect(shown.stdout).toMatch(/lost +the machine was restarted; cbos restore AUTH/);
});
