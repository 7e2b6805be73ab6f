import { describe, expect, test } from 'vitest';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { statusOf, WAITS_FOR_PERMISSION, WORKS } from './some-questions.ts';

const served = serveCommands();
const run = (...argv: string[]): Promise<CommandResult> => runCommand(argv, served.where);
const atTerminal = (argv: string[], stdin = ''): Promise<CommandResult> =>
  runCommand(argv, { ...served.where, isTTY: true, columns: 120, stdin });
const names = async (...argv: string[]): Promise<string[]> =>
  (await run('ls', '-q', ...argv)).stdout.split('\n').filter((line) => line !== '');
const DEAD = { state: 'dead', status: statusOf({ primary: 'dead', detail: null, health: 'DEAD' }) } as const;

describe('tag', () => {
  test('adds and removes tags, lists them, and every command selects by them', async () => {
    for (const slug of ['AUTH', 'DOCS', 'REST']) served.server.sessions.add(slug);
    expect(await run('tag', 'AUTH', 'night', 'web')).toEqual({ code: 0, stdout: 'AUTH: night web\n', stderr: '' });
    await run('tag', 'DOCS', 'night');
    expect(await names('--tag', 'night')).toEqual(['AUTH', 'DOCS']);
    expect(await names('--tag', 'night', '--tag', 'web')).toEqual(['AUTH']);
    expect(JSON.parse((await run('tag', '--json')).stdout)).toEqual({ night: 2, web: 1 });
    expect((await run('untag', '--tag', 'night', 'night')).stdout).toBe('AUTH: web\nDOCS: no tag\n');
    expect((await run('ls', '--tag', 'night')).stderr).toContain('no session is tagged night — cbos ls');
  });

  test.each([
    [['tag', 'AUTH'], "Missing required argument 'tag'"],
    [['tag', 'AUTH', 'two words'], '"two words" isn\'t a tag'],
    [['tag', 'AUTH', '+night'], '"+night" isn\'t a tag'],
    [['ls', '--tag', '-x'], 'a tag is 1 to 40 letters'],
    [['untag'], "Missing required argument 'tag'"],
    [['wait', 'AUTH', '--tag', 'night'], 'cannot be combined'],
    [['wait'], "Missing required argument 'name'"],
    [['send', '--all', '--tag', 'night', 'x'], '--all and --tag cannot be combined'],
  ])('%j is wrong usage', async (argv, said) => {
    served.server.sessions.add('AUTH');
    const result = await run(...argv);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(said);
    expect(served.server.sessions.get('AUTH').tags).toEqual([]);
  });

  test('an unknown name is reported, and the other sessions get the tag', async () => {
    served.server.sessions.add('AUTH');
    expect((await run('tag', 'NOPE', 'night')).code).toBe(3);
  });

  test('a new session has the tag of --tag', async () => {
    await run('new', 'FRESH', '.', '--tag', 'night', '--tag', 'web');
    expect(await names('--tag', 'web')).toEqual(['FRESH']);
  });
});

describe('a selection', () => {
  const fleet = async (): Promise<void> => {
    served.server.sessions.add('AUTH', WORKS);
    served.server.sessions.add('DOCS', WORKS);
    served.server.sessions.add('OTHER', WORKS);
    await run('tag', 'AUTH', 'night');
    await run('tag', 'DOCS', 'night');
  };

  test('is confirmed before several sessions are stopped, with their count and names', async () => {
    await fleet();
    const no = await atTerminal(['stop', '--tag', 'night'], 'n\n');
    expect(no.stderr).toContain('Stop 2 sessions (AUTH, DOCS)? [y/N]');
    expect([no.code, await names('--state', 'stopped')]).toEqual([1, []]);
    const nobody = await run('kill', '--tag', 'night');
    expect([nobody.code, await names('--state', 'stopped')]).toEqual([2, []]);
    expect((await atTerminal(['stop', '--tag', 'night'], 'y\n')).code).toBe(0);
    expect(await names('--state', 'stopped')).toEqual(['AUTH', 'DOCS']);
    expect((await run('stop', '--tag', 'night', '--yes')).stderr).toContain('no session is tagged night');
  });

  test('sends, keeps drafts and waits, with a result for each session', async () => {
    await fleet();
    expect((await run('send', '--tag', 'night', '--yes', 'go on')).stdout.split('\n')).toHaveLength(3);
    const drafts = await run('draft', 'add', '--tag', 'night', 'now the docs');
    expect(drafts.stdout).toMatch(/^Kept for AUTH; .*\nKept for DOCS; .*\n$/);
    expect((await run('draft', 'add', '--tag', 'night', 'x', '--queue')).code).toBe(2);
    expect((await run('draft', 'add', 'OTHER', 'and', 'that')).stdout).toContain('Kept for OTHER');
    expect((await run('wait', '--tag', 'night', '--for', 'working')).stdout.split('\n')).toHaveLength(3);
  });

  test('groups the list by tag, each session once', async () => {
    await fleet();
    await run('tag', 'AUTH', 'web');
    const { stdout } = await atTerminal(['ls', '--group', 'tag', '--columns', 'name,tags']);
    const lines = stdout.split('\n').map((line) => line.replaceAll(/\u001b\[[0-9;]*m/g, '').trim());
    expect(lines.slice(1, -1)).toEqual([
      'night (2)',
      '●  AUTH   night web',
      '●  DOCS   night',
      'No tag (1)',
      '●  OTHER',
    ]);
    expect((await atTerminal(['ls', '--group', 'none'])).stdout).not.toContain('(3)');
  });
});

describe('archive', () => {
  test('hides stopped sessions from the list, refuses a running one, and lists them again', async () => {
    served.server.sessions.add('AUTH', DEAD);
    served.server.sessions.add('DOCS', WAITS_FOR_PERMISSION);
    const refused = await run('archive', 'AUTH', 'DOCS');
    expect(refused.code).toBe(4);
    expect(refused.stdout).toBe('AUTH: archived\n');
    expect(refused.stderr).toMatch(/DOCS.*is running.*cbos stop DOCS.*cbos park DOCS/);
    expect(await names()).toEqual(['DOCS']);
    expect(await names('--archived')).toEqual(['AUTH']);
    expect((await run('status')).stdout).toContain('1 in all');
    expect((await run('show', 'AUTH')).code).toBe(0);
    expect((await run('archive', '--state', 'stopped')).stderr).toContain('no session is stopped');
    expect(JSON.parse((await run('unarchive', 'AUTH', '--json')).stdout)).toMatchObject({ archived_at: null });
    expect(await names('--state', 'stopped')).toEqual(['AUTH']);
  });
});

describe('views', () => {
  test('are saved, listed, deleted, and shown by ls', async () => {
    for (const slug of ['AUTH', 'DOCS']) served.server.sessions.add(slug);
    await run('tag', 'DOCS', 'night');
    expect(await run('views', 'save', 'night', '#night', '--group', 'tag')).toEqual({
      ...{ code: 0, stdout: 'saved: night\n', stderr: '' },
    });
    expect(await names('--view', 'night')).toEqual(['DOCS']);
    const drawn = await atTerminal(['ls', '--view', 'night']);
    expect(drawn.stdout).toContain('night (1)');
    expect(JSON.parse((await run('views', '--json')).stdout)).toEqual([
      { name: 'night', group: 'tag', filter: '#night' },
    ]);
    await run('untag', 'DOCS', 'night');
    expect((await run('ls', '--view', 'night')).stderr).toContain('no session matches the view night');
    expect((await run('views', 'rm', 'night')).stdout).toBe('deleted: night\n');
    expect((await run('views')).stderr).toContain('no saved views yet');
  });

  test.each([
    [['ls', '--view', 'NOPE'], 1, 'No view is named "NOPE"'],
    [['views', 'rm', 'NOPE'], 1, 'No view is named "NOPE"'],
    [['views', 'save', '../x'], 2, `"../x" isn't a valid view name`],
    [['ls', '--view', 'night', '--watch'], 2, 'cannot be combined'],
  ])('%j is refused', async (argv, code, said) => {
    const result = await run(...argv);
    expect(result).toMatchObject({ code });
    expect(result.stderr).toContain(said);
  });
});
