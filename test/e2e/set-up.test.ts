import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session, StoredEvent } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

/**
 * A set-up that a test controls: it waits until the file `go` beside the repository names its exit code, and prints
 * what its environment says.
 */
const SET_UP =
  'echo "begin $CBOS_BRANCH"; while ! [ -s ../../../../go ]; do sleep 0.05; done; echo "port $CBOS_WORKTREE_PORT"; touch prepared; exit "$(cat ../../../../go)"';

let world: ClaudeWorld;
let cbos: Cbos;
let repository: WorktreeRepository;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', projects: ['shop'] });
  repository = createWorktreeRepository(world, 'shop');
  repository.commit('first', { 'a.txt': 'a\n', '.cbos/worktree.toml': `set_up = ${JSON.stringify(SET_UP)}\n` });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const folderOf = (slug: string): string => join(repository.path, '.claude', 'worktrees', slug);
const say = (code: number): void => writeFileSync(join(repository.path, '..', 'go'), String(code));
const wait = (): void => writeFileSync(join(repository.path, '..', 'go'), '');
const isSettingUp = ({ status }: Session): boolean => status.because.rule === 'process.setting_up';
const recordingOf = (slug: string): string => readFileSync(join(world.streamDir, `${slug}.typescript`), 'utf8');

test('a set-up that nobody has trusted does not run, and `cbos new` says how to trust it', async () => {
  const made = await cbos.cli(['new', 'FIRST', repository.path, '--worktree']);
  expect(made.code).toBe(0);
  expect(made.stderr).toContain('nobody has trusted it: cbos worktrees trust');
  await cbos.untilStatus('FIRST', 'idle/ready');
  expect(existsSync(join(folderOf('FIRST'), 'prepared'))).toBe(false);
  expect((await cbos.session('FIRST')).worktree?.set_up).toMatchObject({ state: 'untrusted', from: 'project' });

  const trusted = await cbos.cli(['worktrees', 'trust', repository.path, '--yes']);
  expect([trusted.code, trusted.stdout]).toEqual([0, expect.stringContaining('runs in each new worktree')]);
  await cbos.cli(['rm', 'FIRST', '--yes']);
});

test('the set-up runs in the terminal before Claude Code, which gets the same port and variables', async () => {
  wait();
  const made = await cbos.cli(['new', 'AUTH', repository.path, '--worktree', 'fix/login', '--prompt', 'scene:hello']);
  expect(made.stdout).toContain('Claude Code starts after it');
  const during = await cbos.until('AUTH', isSettingUp, 'is being set up');
  expect(during.status.primary).toBe(null);
  expect((await cbos.cli(['ls'])).stdout).toContain('setting up');
  await cbos.until('AUTH', () => recordingOf('AUTH').includes('begin fix/login'), 'shows the output');

  // The server may be killed in the middle of it.
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world);
  await cbos.until('AUTH', isSettingUp, 'is still being set up');
  expect(world.promptsReceived()).toEqual([]);
  say(0);
  await waitFor(() => world.promptsReceived().length > 0, { describe: 'the prompt is sent' });
  const done = await cbos.untilStatus('AUTH', 'idle/waiting_input');
  expect(world.promptsReceived()).toEqual([expect.stringContaining('scene:hello')]);
  const port = done.worktree?.port ?? 0;
  expect(recordingOf('AUTH')).toContain(`port ${port}`);
  expect(done.worktree?.set_up).toMatchObject({ state: 'done', exit_code: null });
  const environment = readFileSync(`/proc/${done.pid}/environ`, 'utf8').split('\0');
  expect(environment).toEqual(
    expect.arrayContaining([
      `CBOS_WORKTREE=${folderOf('AUTH')}`,
      'CBOS_BRANCH=fix/login',
      `CBOS_REPOSITORY=${repository.path}`,
      `CBOS_WORKTREE_PORT=${port}`,
    ]),
  );
  expect(environment.filter((one) => /^CBOS_(LAUNCHING|PORT)=/.test(one))).toEqual([]);

  // A restart does not run it again, and keeps the port.
  wait();
  expect((await cbos.cli(['stop', 'AUTH'])).code).toBe(0);
  expect((await cbos.cli(['restart', 'AUTH'])).code).toBe(0);
  const again = await cbos.untilStatus('AUTH', 'idle/waiting_input');
  expect(again.worktree?.port).toBe(port);
  expect(readFileSync(`/proc/${again.pid}/environ`, 'utf8')).toContain(`CBOS_WORKTREE_PORT=${port}\0`);
  expect((await cbos.cli(['show', 'AUTH'])).stdout).toContain(`${port} (CBOS_WORKTREE_PORT)`);
});

test('after a set-up that failed at once, Claude Code does not start until it succeeds or is left out', async () => {
  say(7);
  const made = await cbos.cli(['new', 'BAD', repository.path, '--worktree']);
  expect([made.code, made.stderr]).toEqual([0, '']);
  const dead = await cbos.until('BAD', ({ status }) => status.primary === 'dead', 'is stopped');
  expect(dead.status.because).toMatchObject({
    rule: 'process.ended',
    evidence: 'the set-up ended with exit code 7, so Claude Code was not started',
  });
  expect(dead.worktree?.set_up).toMatchObject({ state: 'failed', exit_code: 7 });
  expect(recordingOf('BAD')).toContain('The set-up ended with exit code 7');
  expect((await cbos.cli(['show', 'BAD'])).stdout).toContain('ended with exit code 7; cbos restart BAD runs it again');
  const refused = await cbos.call('POST', '/sessions/BAD/send', { text: 'hello' });
  expect([refused.status, refused.error?.code]).toEqual([409, 'set_up_failed']);
  expect(refused.error?.message).toContain('exit code 7');

  expect((await cbos.cli(['restart', 'BAD'])).code).toBe(0);
  await cbos.until('BAD', ({ status }) => status.primary === 'dead', 'has failed again');
  say(0);
  expect((await cbos.cli(['restart', 'BAD'])).code).toBe(0);
  await cbos.untilStatus('BAD', 'idle/ready');
  expect((await cbos.session('BAD')).worktree?.set_up?.state).toBe('done');

  say(1);
  await cbos.cli(['new', 'SKIP', repository.path, '--worktree']);
  await cbos.until('SKIP', ({ status }) => status.primary === 'dead', 'is stopped');
  expect((await cbos.cli(['worktrees', 'skip', 'SKIP'])).code).toBe(0);
  expect((await cbos.cli(['restart', 'SKIP'])).code).toBe(0);
  await cbos.untilStatus('SKIP', 'idle/ready');
});

test('a JSON session shows the output of its set-up as events, and the next prompt repeats one that failed', async () => {
  say(3);
  const created = await cbos.cli(['new', 'JSON', repository.path, '--worktree', '--type', 'json']);
  expect(created.code).toBe(0);
  const failed = await cbos.call('POST', '/sessions/JSON/send', { text: 'scene:hello json' });
  expect([failed.error?.code, failed.error?.message]).toEqual([
    'set_up_failed',
    expect.stringContaining('exit code 3'),
  ]);
  const eventsOf = async (): Promise<StoredEvent['event'][]> =>
    (await cbos.call<{ events: StoredEvent[] }>('GET', '/sessions/JSON/events')).body.events.map(({ event }) => event);
  const { worktree } = await cbos.session('JSON');
  expect(await eventsOf()).toEqual(
    expect.arrayContaining([
      { type: 'raw', content: 'begin JSON' },
      { type: 'raw', content: `port ${worktree?.port}` },
      { type: 'error', message: 'the set-up ended with exit code 3, so Claude Code was not started' },
    ]),
  );
  say(0);
  const sent = await cbos.call<{ status: string }>('POST', '/sessions/JSON/send', { text: 'scene:hello json' });
  expect(sent.body.status).toBe('delivered');
  await cbos.until('JSON', (one) => one.json_state === 'complete', 'is complete');
  expect((await cbos.session('JSON')).worktree?.set_up?.state).toBe('done');
});

test('a set-up in config.toml takes precedence, and may let Claude Code start anyway', async () => {
  const tables = `[[repositories]]\npath = ${JSON.stringify(repository.path)}\nset_up = "exit 5"\nafter_failure = "start"\n`;
  writeFileSync(join(world.cbosHome, 'config.toml'), tables);
  await cbos.cli(['new', 'OWN', repository.path, '--worktree']);
  await cbos.untilStatus('OWN', 'idle/ready');
  const { worktree } = await cbos.session('OWN');
  expect(worktree?.set_up).toMatchObject({ command: 'exit 5', from: 'settings', state: 'failed', exit_code: 5 });
  expect((await cbos.cli(['show', 'OWN'])).stdout).toContain('Claude Code was started anyway');
});
