import { beforeEach, describe, expect, test } from 'vitest';
import type { StashedResponse } from '../../src/protocol/index.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.add('AUTH');
});

const stash = (...words: string[]): Promise<CommandResult> => runCommand(['stash', ...words], cli.where);

describe('stash', () => {
  test('keeps a reply, lists it, applies it once and takes it out', async () => {
    const added = await stash('add', 'AUTH', 'now', 'the', 'docs', '--question', 'And then?');
    expect(added).toMatchObject({ code: 0, stdout: 'kept for AUTH; cbos stash apply r1 sends it\n', stderr: '' });
    for (const listed of [await stash(), await stash('ls')]) {
      const [titles, row] = listed.stdout.split('\n').map((line) => line.split(/ {2,}/));
      expect(titles).toEqual(['ID', 'SLUG', 'WHEN', 'AGE', 'QUESTION', 'RESPONSE']);
      expect(row).toEqual(['r1', 'AUTH', 'manual', '1m 00s', 'And then?', 'now the docs']);
    }
    expect((await stash('apply', 'r1')).stdout).toBe('AUTH was sent it: now the docs\n');
    expect(cli.server.sessions.deliveries('AUTH')[0]?.text).toBe('now the docs');
    expect(await stash('apply', 'r1')).toMatchObject({ code: 4, stdout: '' });
    expect((await stash()).stdout).toContain('ago');
    expect((await stash('rm', 'r1')).code).toBe(0);
    expect(await stash()).toMatchObject({ code: 0, stdout: '' });
  });

  test('prints REST bodies with --json', async () => {
    const added = JSON.parse((await stash('add', 'AUTH', 'x', '--when', 'next_waiting', '--json')).stdout);
    expect(added).toMatchObject({ session_slug: 'AUTH', when: 'next_waiting', applied: false });
    expect(JSON.parse((await stash('--json')).stdout)).toEqual([added]);
    expect(JSON.parse((await stash('apply', added.id, '--json')).stdout)).toMatchObject({ applied: true });
    expect(JSON.parse((await stash('rm', added.id, '--json')).stdout)).toMatchObject({ id: added.id });
  });

  test('reads standard input for -', async () => {
    await runCommand(['stash', 'add', 'AUTH', '-'], { ...cli.where, stdin: 'two\nlines\n' });
    expect(cli.server.sessions.stash()[0]?.response).toBe('two\nlines\n');
    expect((await stash('add', 'AUTH', '-')).code).toBe(2);
  });

  test('takes an id by its beginning where only one begins so', async () => {
    for (let count = 0; count < 10; count++) await stash('add', 'AUTH', 'x');
    expect(await stash('rm', 'r')).toMatchObject({ code: 2, stdout: '' });
    expect((await stash('rm', 'r')).stderr).toContain('give more of the id');
    // r1 is one of them, r10 another.
    expect((await stash('rm', 'r1')).code).toBe(0);
    expect((await stash('apply', 'r1')).code).toBe(0);
    expect(cli.server.sessions.stash().find(({ applied }) => applied)?.id).toBe('r10');
    for (const id of ['none', '']) {
      expect(await stash('apply', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('cbos stash') });
    }
  });

  test.each([
    [['add', 'NONE', 'x'], 3],
    [['add', 'AUTH'], 2],
    [['add', 'AUTH', 'x', '--when', 'soon'], 2],
    [['add', 'AUTH', '/clear'], 4],
    [['nonsense'], 2],
  ])('%j ends with exit code %d', async (words, code) => {
    expect(await stash(...words)).toMatchObject({ code, stdout: '' });
    expect(cli.server.sessions.stash()).toEqual([]);
  });

  test('is refused while a dialog is open, and the reply is kept', async () => {
    await stash('add', 'AUTH', 'x');
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    expect((await stash('apply', 'r1')).code).toBe(4);
    expect(cli.server.sessions.stash()).toMatchObject([{ applied: false } satisfies Partial<StashedResponse>]);
  });

  test('is completed: sessions, replies that wait, and the choices of --when', async () => {
    await stash('add', 'AUTH', 'now the docs');
    const complete = async (...words: string[]): Promise<string[]> =>
      (await runCommand(['complete', '--', 'stash', ...words], cli.where)).stdout.trimEnd().split('\n');
    expect(await complete('apply', '')).toEqual(['r1\tAUTH: now the docs', ':4']);
    expect(await complete('add', 'A')).toEqual(['AUTH\tidle', ':4']);
    expect(await complete('add', 'AUTH', 'x', '--when', 'n')).toEqual(['next_waiting\t', ':4']);
    await stash('apply', 'r1');
    expect(await complete('rm', '')).toEqual([':4']);
  });
});
