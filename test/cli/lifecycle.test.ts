import { mkdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runCommand, startCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.created.length = 0;
});

const slugs = (): string[] => cli.server.sessions.list().map((session) => session.slug);

describe('new', () => {
  test('launches in the current directory, as a screen session, and prints how to attach', async () => {
    const { code, stdout } = await runCommand(['new', 'AUTH'], cli.where);
    expect(code).toBe(0);
    expect(stdout).toContain('cbos attach AUTH');
    expect(cli.server.sessions.created).toEqual([{ slug: 'AUTH', path: cli.server.world.projectDir, type: 'screen' }]);
  });

  test('sends every option, with an absolute path, and passes on the arguments after --', async () => {
    const argv = ['new', 'AUTH', '..', '--type', 'json', '--prompt', 'fix it', '--permission-mode', 'plan', '--model'];
    argv.push(
      'opus',
      '--cols',
      '160',
      '--rows',
      '45',
      '--env',
      'A=1',
      '--env',
      'B=x=y',
      '--',
      '--add-dir',
      '../x',
      '--',
    );
    const { code } = await runCommand(argv, cli.where);
    expect(code).toBe(0);
    expect(cli.server.sessions.created).toEqual([
      {
        slug: 'AUTH',
        path: cli.server.world.dir,
        type: 'json',
        prompt: 'fix it',
        permission_mode: 'plan',
        model: 'opus',
        cols: 160,
        rows: 45,
        env: { A: '1', B: 'x=y' },
        args: ['--add-dir', '../x', '--'],
      },
    ]);
  });

  test('uses the default type of the settings', async () => {
    await runCommand(['new', 'AUTH'], { ...cli.where, settings: { default_type: 'json' } });
    expect(cli.server.sessions.created[0]?.type).toBe('json');
  });

  test.each([
    ['an invalid name', ['new', 'a/b'], 2, "This isn't a valid session name"],
    ['a missing path, without a name', ['new', './nowhere'], 2, "isn't a directory"],
    ['a path instead of a name', ['new', './x', 'AUTH'], 2, "This isn't a valid session name"],
    ['a missing path', ['new', 'AUTH', '/nowhere'], 2, "isn't a directory"],
    ['an unknown permission mode', ['new', 'AUTH', '--permission-mode', 'yolo'], 2, 'Allowed choices are default'],
    ['a width beyond the limit', ['new', 'AUTH', '--cols', '9999'], 2, 'from 20 to 500'],
    ['a variable without a value', ['new', 'AUTH', '--env', 'A'], 2, 'NAME=VALUE'],
    ['an option of claude before --', ['new', 'AUTH', '--add-dir', 'x'], 2, 'put -- before arguments for claude'],
  ])('refuses %s', async (_, argv, exitCode, says) => {
    const { code, stdout, stderr } = await runCommand(argv, cli.where);
    expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
      code: exitCode,
      stdout: '',
      lines: 1,
    });
    expect(stderr).toContain(says);
    expect(cli.server.sessions.created).toEqual([]);
  });

  test('uses the name of the directory if only a path is given, with a number if the name is taken', async () => {
    const folders = ['.', './auth service (old)', './status', `${cli.server.world.projectDir}/-`];
    for (const folder of folders) mkdirSync(resolve(cli.server.world.projectDir, folder), { recursive: true });
    for (const folder of [...folders, '.']) await runCommand(['new', folder], cli.where);
    const own = basename(cli.server.world.projectDir);
    expect(cli.server.sessions.created.map(({ slug }) => slug)).toEqual([
      own,
      'auth-service-old',
      'status-2',
      'session',
      `${own}-2`,
    ]);
  });

  test('exits with 4 if the name is taken', async () => {
    cli.server.sessions.add('AUTH');
    expect((await runCommand(['new', 'AUTH'], cli.where)).code).toBe(4);
  });
});

describe('adopt, rename, stop, restart and rm', () => {
  test('adopt takes over a Screen session under a name', async () => {
    expect((await runCommand(['adopt', '42.work', 'AUTH'], cli.where)).stdout).toContain('AUTH is adopted');
    expect((await runCommand(['adopt', 'nonsense'], cli.where)).code).toBe(3);
  });

  test.each(['stop', 'kill'])('%s keeps it listed and prints how to continue it, which restart does', async (stop) => {
    cli.server.sessions.add('AUTH');
    const stopped = await runCommand([stop, 'AUTH'], cli.where);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toContain('cbos restart AUTH');
    expect(cli.server.sessions.get('AUTH').state).toBe('dead');
    expect((await runCommand(['restart', 'AUTH'], cli.where)).code).toBe(0);
    expect(cli.server.sessions.get('AUTH').state).toBe('idle');
    expect((await runCommand(['restart', 'AUTH'], cli.where)).code).toBe(4);
  });

  test('stop --rm deletes it as well', async () => {
    cli.server.sessions.add('AUTH');
    expect((await runCommand(['stop', '--rm', 'AUTH'], cli.where)).stdout).toContain('deleted');
    expect(slugs()).toEqual([]);
  });

  test('several at once are all tried; the first failure determines the exit code', async () => {
    cli.server.sessions.add('A');
    cli.server.sessions.add('B');
    const { code, stdout, stderr } = await runCommand(['kill', 'A', 'NOPE', 'B', '--json'], cli.where);
    expect(code).toBe(3);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).slug),
    ).toEqual(['A', 'B']);
    expect(stderr).toContain('NOPE');
  });

  test('restart --all restarts what is dead, and nothing else', async () => {
    cli.server.sessions.add('A');
    cli.server.sessions.add('B');
    await cli.server.sessions.kill('B');
    const { code, stdout } = await runCommand(['restart', '--all'], cli.where);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'B restarted; resuming its conversation\n' });
    expect((await runCommand(['restart', '--all'], cli.where)).stderr).toContain('nothing to restart');
    expect((await runCommand(['restart'], cli.where)).code).toBe(2);
    expect((await runCommand(['restart', 'A', '--all'], cli.where)).code).toBe(2);
  });

  test('rename gives it another name', async () => {
    cli.server.sessions.add('AUTH');
    expect((await runCommand(['rename', 'AUTH', 'LOGIN'], cli.where)).stdout).toBe('AUTH is now LOGIN\n');
    expect(slugs()).toEqual(['LOGIN']);
  });

  test('rm deletes nothing if nobody can be asked, unless --yes is given', async () => {
    cli.server.sessions.add('AUTH');
    const { code, stdout, stderr } = await runCommand(['rm', 'AUTH'], cli.where);
    expect({ code, stdout, left: slugs() }).toEqual({ code: 2, stdout: '', left: ['AUTH'] });
    expect(stderr).toContain('— add --yes');
    expect((await runCommand(['rm', 'AUTH', '--yes'], cli.where)).code).toBe(0);
    expect(slugs()).toEqual([]);
  });

  test.each([
    ['y\n', [], 0],
    ['n\n', ['AUTH'], 1],
    ['', ['AUTH'], 1],
  ])('rm asks on a terminal; %j leaves %j', async (typed, left, exitCode) => {
    cli.server.sessions.add('AUTH');
    const { code, stderr } = await runCommand(['rm', 'AUTH'], { ...cli.where, isTTY: true, stdin: typed });
    expect(stderr).toContain('Delete AUTH? It is running (new) and would be stopped. This cannot be undone. [y/N]');
    expect({ code, left: slugs() }).toEqual({ code: exitCode, left });
  });

  test('rm --yes does not ask', async () => {
    cli.server.sessions.add('AUTH');
    const command = startCommand(['rm', 'AUTH', '-y'], { ...cli.where, isTTY: true });
    expect(await command.ended).toBe(0);
    expect(command.stderr.text).toBe('');
  });
});
