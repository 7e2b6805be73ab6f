import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processNow } from '../../src/platform/process/index.ts';
import type { Delivery, Session, SessionCosts, StatusChange } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ projects: ['shop'] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const ids = async (): Promise<(string | null)[]> =>
  (await cbos.call<Session[]>('GET', '/sessions')).body.map(({ claude_session_id }) => claude_session_id);
/** Returns the last request of a turn, with everything that the model was told. */
const lastTold = (): string =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null));

test('a conversation continues in two sessions, each in its own worktree and with its own id', async () => {
  const repository = createWorktreeRepository(world, 'shop');
  repository.commit('first', { 'a.txt': 'a\n' });
  const folderOf = (slug: string): string => join(repository.path, '.claude', 'worktrees', slug);
  await cbos.cli(['new', 'AUTH', repository.path, '--worktree', '--', '--verbose', 'scene:hello in the original']);
  await cbos.untilStatus('AUTH', 'idle/waiting_input');
  writeFileSync(join(folderOf('AUTH'), 'new.txt'), 'not committed\n');
  const before = await cbos.session('AUTH');

  const forked = await cbos.cli(['fork', 'AUTH', 'AUTH-2', '--prompt', 'scene:hello in the fork']);
  expect(forked.stderr).toBe('');
  const fork = await cbos.untilStatus('AUTH-2', 'idle/waiting_input');
  expect(lastTold()).toContain('hello in the original');
  expect(lastTold()).toContain('hello in the fork');
  // The prompt among the arguments of the original is not sent again.
  expect(world.promptsReceived()).toEqual(['scene:hello in the original', 'scene:hello in the fork']);
  expect(fork).toMatchObject({ path: folderOf('AUTH-2'), worktree: { branch: 'AUTH-2', base: 'main' } });
  expect(readFileSync(join(folderOf('AUTH-2'), 'new.txt'), 'utf8')).toBe('not committed\n');
  // Hooks and the registry report the id that CBOS chose, and the original keeps its own.
  expect(fork.claude_session_id).toMatch(/^[0-9a-f-]{36}$/);
  expect((await cbos.session('AUTH')).claude_session_id).toBe(before.claude_session_id);
  expect(new Set(await ids()).size).toBe(2);

  await cbos.cli(['send', 'AUTH', 'scene:hello once more in the original', '--wait']);
  expect(lastTold()).not.toContain('hello in the fork');

  // A fork that was never prompted has no transcript. It is forked again at its restart.
  await cbos.cli(['fork', 'AUTH-2', 'AUTH-3']);
  await cbos.until('AUTH-3', ({ status }) => status.primary === 'idle', 'is ready');
  await cbos.cli(['stop', 'AUTH-3', '--yes']);
  await cbos.cli(['restart', 'AUTH-3']);
  await cbos.until('AUTH-3', ({ status }) => status.primary === 'idle', 'is ready again');
  await cbos.cli(['send', 'AUTH-3', 'scene:hello in the third', '--wait']);
  expect(lastTold()).toContain('hello in the fork');
  expect(new Set(await ids()).size).toBe(3);
});

test('a JSON session is forked in the same folder on request, and the fork does not include the cost of the original', async () => {
  await cbos.cli(['new', 'CI', world.projectDir, '--type', 'json', '--prompt', 'scene:hello first']);
  await cbos.until('CI', ({ json_state }) => json_state === 'complete', 'has answered');
  const refused = await cbos.cli(['fork', 'CI', 'CI-2']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--same-folder')]);
  expect(existsSync(join(world.projectDir, '.claude', 'worktrees'))).toBe(false);
  await cbos.cli(['fork', 'CI', 'CI-2', '--same-folder', '--prompt', 'scene:hello second']);
  const fork = await cbos.until('CI-2', ({ json_state }) => json_state === 'complete', 'has answered');
  expect(lastTold()).toContain('hello first');
  expect(fork.path).toBe(world.projectDir);
  expect(fork.claude_session_id).not.toBe((await cbos.session('CI')).claude_session_id);
  const costOf = async (slug: string): Promise<number> =>
    (await cbos.call<SessionCosts>('GET', `/sessions/${slug}/costs`)).body.session.cost_usd;
  expect(await costOf('CI-2')).toBeLessThan(1.6 * (await costOf('CI')));

  const nothing = await cbos.cli(['new', 'EMPTY', world.projectDir, '--type', 'json']);
  expect(nothing.code).toBe(0);
  expect((await cbos.cli(['fork', 'EMPTY', 'E-2', '--same-folder'])).stderr).toContain('no conversation yet');
});

test('a JSON session gets a terminal and gives it back, with one conversation that only one process has open', async () => {
  const json = jsonSessions(world, () => cbos);
  const watcher = await cbos.watch();
  await json.create('HAND');
  await json.invoke('HAND', 'scene:hello in events');
  const before = await cbos.untilStatus('HAND', 'idle/waiting_input');
  const { pid } = before;
  expect(pid).not.toBeNull();

  const converted = await cbos.cli(['convert', 'HAND', 'screen', '--json']);
  expect(converted.code, converted.stderr).toBe(0);
  expect(JSON.parse(converted.stdout)).toMatchObject({ type: 'screen', slug: 'HAND' });
  expect([undefined, 'Z']).toContain(processNow(pid ?? 0)?.state);
  const shown = await cbos.until('HAND', (one) => one.status.primary === 'idle', 'is ready');
  expect(shown.buffer_tail).toContain('❯');
  expect(shown).toMatchObject({ type: 'screen', json_state: null });
  const sent = await cbos.call<Delivery>('POST', '/sessions/HAND/send', { text: 'scene:read in a terminal' });
  expect(sent.body).toMatchObject({ status: 'delivered' });
  await cbos.until(
    'HAND',
    (one) => one.status.primary === 'idle' && world.promptsReceived().includes('scene:read in a terminal'),
    'is idle',
  );
  expect(lastTold()).toContain('scene:hello in events');
  expect((await json.invoke('HAND', 'x')).status).toBe(409);

  expect((await cbos.cli(['convert', 'HAND', 'json'])).code).toBe(0);
  const back = await cbos.session('HAND');
  expect(back).toMatchObject({ type: 'json', screen_id: null, claude_session_id: before.claude_session_id });
  expect([undefined, 'Z']).toContain(processNow(shown.pid ?? 0)?.state);
  await json.invoke('HAND', 'scene:hello again in events');
  await cbos.until(
    'HAND',
    (one) => one.json_state === 'complete' && world.promptsReceived().includes('scene:hello again in events'),
    'is complete',
  );
  expect(lastTold()).toContain('scene:read in a terminal');

  // Only the session's processes ended, not the session. Neither the clients nor the history may therefore report an
  // end.
  expect(watcher.statuses('HAND').filter((status) => status.startsWith('dead'))).toEqual([]);
  const history = (await cbos.call<StatusChange[]>('GET', '/sessions/HAND/history')).body;
  expect(history.filter(({ primary }) => primary === 'dead')).toEqual([]);
});
