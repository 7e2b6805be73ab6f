import { beforeEach, describe, expect, test } from 'vitest';
import type { StashedResponse } from '../../src/protocol/index.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.add('AUTH');
});

// `stash` is the former name, which scripts still use.
describe.each(['draft', 'stash'])('%s', (name) => {
  const draft = (...words: string[]): Promise<CommandResult> => runCommand([name, ...words], cli.where);

  test('keeps a reply, lists it, sends it once and deletes it', async () => {
    const added = await draft('add', 'AUTH', 'now', 'the', 'docs', '--question', 'And then?');
    expect(added).toMatchObject({ code: 0, stdout: 'Kept for AUTH; send it with cbos draft send r1\n', stderr: '' });
    for (const listed of [await draft(), await draft('ls')]) {
      const [titles, row] = listed.stdout.split('\n').map((line) => line.split(/ {2,}/));
      expect(titles).toEqual(['ID', 'NAME', 'WHEN', 'AGE', 'QUESTION', 'REPLY']);
      expect(row).toEqual(['r1', 'AUTH', 'by hand', '1m 00s', 'And then?', 'now the docs']);
    }
    expect((await draft('apply', 'r1')).stdout).toBe('Sent to AUTH: now the docs\n');
    expect(cli.server.sessions.deliveries('AUTH')[0]?.text).toBe('now the docs');
    expect(await draft('apply', 'r1')).toMatchObject({ code: 4, stdout: '' });
    expect((await draft()).stdout).toContain('ago');
    expect((await draft('rm', 'r1')).code).toBe(0);
    expect(await draft()).toMatchObject({ code: 0, stdout: '' });
  });

  test('prints REST bodies with --json', async () => {
    const added = JSON.parse((await draft('add', 'AUTH', 'x', '--queue', '--json')).stdout);
    expect(added).toMatchObject({ session_slug: 'AUTH', when: 'next_waiting', applied: false });
    const before = JSON.parse((await draft('add', 'AUTH', 'x', '--when', 'next_waiting', '--json')).stdout);
    expect(before).toMatchObject({ when: 'next_waiting' });
    expect(JSON.parse((await draft('--json')).stdout)).toEqual([added, before]);
    expect(JSON.parse((await draft('apply', added.id, '--json')).stdout)).toMatchObject({ applied: true });
    expect(JSON.parse((await draft('rm', added.id, '--json')).stdout)).toMatchObject({ id: added.id });
  });

  test('reads standard input for -', async () => {
    await runCommand([name, 'add', 'AUTH', '-'], { ...cli.where, stdin: 'two\nlines\n' });
    expect(cli.server.sessions.stash()[0]?.response).toBe('two\nlines\n');
    expect((await draft('add', 'AUTH', '-')).code).toBe(2);
  });

  test('accepts the beginning of an id if it is unambiguous', async () => {
    for (let count = 0; count < 10; count++) await draft('add', 'AUTH', 'x');
    expect(await draft('rm', 'r')).toMatchObject({ code: 2, stdout: '' });
    expect((await draft('rm', 'r')).stderr).toContain('type more characters of the id');
    // r1 is a complete id, although r10 begins with it. Once the draft r1 is gone, `r1` is short for r10.
    expect((await draft('rm', 'r1')).code).toBe(0);
    expect((await draft('apply', 'r1')).code).toBe(0);
    expect(cli.server.sessions.stash().find(({ applied }) => applied)?.id).toBe('r10');
    for (const id of ['none', '']) {
      expect(await draft('apply', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('cbos draft') });
    }
  });

  test.each([
    [['add', 'NONE', 'x'], 3],
    [['add', 'AUTH'], 2],
    [['add', 'AUTH', 'x', '--when', 'soon'], 2],
    [['add', 'AUTH', '/clear'], 4],
    [['nonsense'], 2],
  ])('%j exits with code %d', async (words, code) => {
    expect(await draft(...words)).toMatchObject({ code, stdout: '' });
    expect(cli.server.sessions.stash()).toEqual([]);
  });

  test('is refused while a dialog is open, and the reply is kept', async () => {
    await draft('add', 'AUTH', 'x');
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    expect((await draft('apply', 'r1')).code).toBe(4);
    expect(cli.server.sessions.stash()).toMatchObject([{ applied: false } satisfies Partial<StashedResponse>]);
  });
});

test('`draft` is completed: sessions, and unsent drafts', async () => {
  await runCommand(['draft', 'add', 'AUTH', 'now the docs'], cli.where);
  const complete = async (...words: string[]): Promise<string[]> =>
    (await runCommand(['complete', '--', 'draft', ...words], cli.where)).stdout.trimEnd().split('\n');
  expect(await complete('send', '')).toEqual(['r1\tAUTH: now the docs', ':4']);
  expect(await complete('add', 'A')).toEqual(['AUTH\tnew', ':4']);
  await runCommand(['draft', 'send', 'r1'], cli.where);
  expect(await complete('rm', '')).toEqual([':4']);
});
