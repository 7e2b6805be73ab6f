import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
beforeEach(() => {
  for (const { name } of cli.server.schedules.list()) cli.server.schedules.remove(name);
  cli.server.sessions.add('CI');
});
const schedule = (...words: string[]): Promise<CommandResult> => runCommand(['schedule', ...words], cli.where);
const add = (...more: string[]): Promise<CommandResult> =>
  schedule('add', 'NIGHTLY', '0 0 29 2 *', '--session', 'CI', '--prompt', 'run the tests', ...more);

test('a schedule is added, listed, run, paused, resumed and deleted', async () => {
  expect((await schedule()).stderr).toContain('cbos schedule add');
  const added = await add('--timezone', 'Europe/Berlin');
  expect(added, added.stderr).toMatchObject({ code: 0 });
  expect(added.stdout).toMatch(/^NIGHTLY: CI, next 20\d\d-02-2\d \S+ \(Europe\/Berlin\)\n$/);
  const [titles, row] = (await schedule('ls')).stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(titles?.slice(0, 4)).toEqual(['NAME', 'SESSION', 'NEXT', 'WHEN']);
  expect(row?.slice(0, 2)).toEqual(['NIGHTLY', 'CI']);
  expect((await schedule('run', 'NIGHTLY')).stdout).toBe('sent: waits until the session is ready\n');
  expect(cli.server.sessions.deliveries('CI').map(({ text }) => text)).toEqual(['run the tests']);
  expect((await schedule('runs', 'NIGHTLY')).stdout).toMatch(/DUE.*\n.*sent/);
  expect((await schedule('pause', 'NIGHTLY')).stdout).toBe('paused: NIGHTLY\n');
  expect((await schedule()).stdout).toContain('paused');
  expect((await schedule('resume', 'NIGHTLY')).stdout).toBe('resumed: NIGHTLY\n');
  expect((await schedule('rm', 'NIGHTLY')).stdout).toBe('deleted: NIGHTLY\n');
  expect(await schedule('rm', 'NIGHTLY')).toMatchObject({ code: 1, stderr: expect.stringContaining('cbos schedule') });
});

test('REST bodies are printed with --json', async () => {
  const added = JSON.parse((await add('--missed', 'run', '--json')).stdout);
  expect(added).toMatchObject({ name: 'NIGHTLY', session: 'CI', missed: 'run', paused: false, last_run: null });
  expect(JSON.parse((await schedule('--json')).stdout)).toEqual([added]);
  expect(JSON.parse((await schedule('run', 'NIGHTLY', '--json')).stdout)).toMatchObject({
    outcome: 'sent',
    by_hand: true,
  });
  expect(JSON.parse((await schedule('runs', 'NIGHTLY', '--json')).stdout)).toHaveLength(1);
  expect(JSON.parse((await schedule('pause', 'NIGHTLY', '--json')).stdout)).toMatchObject({ paused: true });
});

test('a pattern that cannot be read is refused, with the cure', async () => {
  const wrong = await schedule('add', 'X', 'at seven', '--session', 'CI', '--prompt', 'x');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain("'0 7 * * 1-5'");
  expect((await schedule('add', 'X', '0 7 * * *', '--session', 'NONE', '--prompt', 'x')).code).toBe(3);
  expect((await schedule('run', '..')).code).toBe(1);
});

test('a person changes a schedule by its name, and its times are shown before', async () => {
  await add();
  cli.server.sessions.add('NIGHT');
  const edited = await schedule('edit', 'NIGHTLY', '--when', '0 0 1 3 *', '--session', 'NIGHT', '--timezone', 'UTC');
  expect(edited, edited.stderr).toMatchObject({ code: 0 });
  expect(edited.stdout).toMatch(/^NIGHTLY: next 20\d\d-0[23]-\d\d \S+ \(UTC\)\n$/);
  expect(cli.server.schedules.list()).toMatchObject([{ cron: '0 0 1 3 *', session: 'NIGHT', prompt: 'run the tests' }]);
  expect(await schedule('edit', 'NIGHTLY')).toMatchObject({ code: 2, stderr: expect.stringContaining('--when') });
  expect((await schedule('edit', 'NIGHTLY', '--prompt', '/clear')).code).not.toBe(0);
  const times = await schedule('times', '0 7 * * 1-5', '--timezone', 'Asia/Tokyo');
  expect(times.stdout.trimEnd().split('\n')).toHaveLength(5);
  expect(times.stdout).toContain('Asia/Tokyo');
  expect(JSON.parse((await schedule('times', '0 7 * * *', '--json')).stdout).times).toHaveLength(5);
});

test('a schedule launches a new session each time, with the options of cbos new, and shows its cost', async () => {
  const added = await schedule(
    ...['add', 'EACH', '0 0 29 2 *', '--new', '.', '--as', 'E', '--prompt', 'update the dependencies'],
    ...['--worktree', '--from', 'main', '--tag', 'night', '--model', 'opus', '--keep', '5', '--overlap', 'launch'],
  );
  expect(added, added.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^EACH: a new session E-N each time, next/),
  });
  expect(cli.server.schedules.list()).toMatchObject([
    {
      session: null,
      launch: {
        ...{ name: 'E', path: cli.server.world.projectDir, type: 'screen', model: 'opus', tags: ['night'], keep: 5 },
        ...{ worktree: { from: 'main' }, overlap: 'launch' },
      },
    },
  ]);
  expect((await schedule()).stdout).toContain('a new session E-N each time');
  for (const wrong of [
    [],
    ['--new', '--session', 'CI'],
    ['--session', 'CI', '--keep', '5'],
    ['--new', '--from', 'x'],
  ]) {
    const refused = await schedule('add', 'X', '0 7 * * *', '--prompt', 'x', ...wrong);
    expect(refused, wrong.join(' ')).toMatchObject({ code: 2, stdout: '' });
  }
  expect((await schedule('add', 'X', '0 7 * * *', '--prompt', 'x', '--new', '/none')).code).not.toBe(0);
  expect(cli.server.schedules.list()).toHaveLength(1);
});

test('a webhook is created, shown without its secret, renewed and removed; its runs name it', async () => {
  await schedule('add', 'DEPLOY', 'never', '--session', 'CI', '--prompt', 'deploy it');
  expect((await schedule('trigger', 'DEPLOY')).stderr).toContain('cbos schedule trigger DEPLOY --create');
  const made = await schedule('trigger', 'DEPLOY', '--create');
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const [, url = '', secret = ''] = /^address: (\S+)\nsecret: {2}(whsec_\S+)\n$/.exec(made.stdout) ?? [];
  expect(url).toContain('/triggers/');
  expect(made.stderr).toContain('Copy the secret now');
  expect((await schedule('trigger', 'DEPLOY')).stdout).toContain(`${url} (since `);
  expect((await schedule('trigger', 'DEPLOY')).stdout).not.toContain(secret);
  expect(await schedule('trigger', 'DEPLOY', '--create')).toMatchObject({ code: 4, stdout: '' });
  expect(await schedule('trigger', 'DEPLOY', '--create', '--remove')).toMatchObject({ code: 2, stdout: '' });
  expect((await schedule('trigger', 'NONE')).code).toBe(1);
  const rotated = JSON.parse((await schedule('trigger', 'DEPLOY', '--rotate', '--json')).stdout);
  expect(rotated).toMatchObject({ url, secret: expect.not.stringContaining(secret) });

  const body = 'anything';
  const signature = createHmac('sha256', rotated.secret).update(body).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${signature}` };
  const { pathname } = new URL(url);
  expect((await cli.server.call(pathname, { token: null, headers, raw: body })).status).toBe(202);
  expect((await schedule('runs', 'DEPLOY')).stdout).toContain('by webhook');
  expect((await schedule('trigger', 'DEPLOY', '--remove')).stdout).toBe('removed: no webhook can run DEPLOY\n');
  expect(cli.server.schedules.list()).toMatchObject([{ trigger: null, last_run: { triggered_by: 'webhook' } }]);
});
