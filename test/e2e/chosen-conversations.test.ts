import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

let world: ClaudeWorld;
let cbos: Cbos;
/** a worktree of the project */
let aside: string;
/** the id of the conversation of the session OWN, which is called Zeta One */
let id: string | null;

beforeAll(async () => {
  world = await claudeWorld();
  const repository = createWorktreeRepository(world, 'project');
  repository.commit('begin', { 'a.txt': 'a\n' });
  aside = join(world.projectDir, '..', 'aside');
  repository.git('worktree', 'add', '-q', '-b', 'aside', aside);
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'OWN', world.projectDir, '--', '-n', 'Zeta One'])).stderr).toBe('');
  expect((await cbos.cli(['send', 'OWN', 'scene:hello', '--wait'])).stderr).toBe('');
  id = (await cbos.session('OWN')).claude_session_id;
});
afterAll(() => world.dispose());

const start = (folder: string, ...args: string[]) => cbos.cli(['new', 'SECOND', folder, '--', ...args]);
const refused = { code: 4, stderr: expect.stringContaining('The session OWN has the conversation open') };

/** Expects that a session is started and shows Claude Code's list of conversations. */
async function expectList(...args: string[]): Promise<void> {
  expect([args, await start(world.projectDir, ...args)]).toMatchObject([args, { code: 0 }]);
  await cbos.until('SECOND', ({ view }) => view?.name === 'Resume session', 'shows the list');
  expect((await cbos.cli(['rm', 'SECOND', '--yes'])).code).toBe(0);
}

test('a conversation that is open in another session cannot be continued by its name, in any worktree of the repository', async () => {
  const forms = [['--resume', 'Zeta One'], ['--resume=zeta one'], ['-r', ' ZETA ONE '], ['-rzeta one']];
  for (const args of forms) expect([args, await start(world.projectDir, ...args)]).toMatchObject([args, refused]);
  expect(await start(aside, '-r', 'zeta one')).toMatchObject(refused);
  expect((await start(aside, '-r', 'zeta one')).stderr).toContain('cbos fork OWN SECOND');
  expect((await cbos.call('GET', '/sessions/SECOND')).status).toBe(404);
});

test('only the newest name counts, and a name that no conversation has leads to the list of Claude Code', async () => {
  await expectList('-r', 'zeta');
  expect((await cbos.cli(['send', 'OWN', '--command', '--', '/rename Other'])).stderr).toBe('');
  await expectList('-r', 'zeta one');
  expect(await start(world.projectDir, '-r', 'other')).toMatchObject(refused);
});

test('the name or `-c` continues the conversation after the session has stopped, and the session then finds it open', async () => {
  // Claude Code passes over the conversation of a JSON session, which is newer.
  expect((await cbos.cli(['new', 'JSON', world.projectDir, '--type', 'json'])).code).toBe(0);
  expect((await cbos.cli(['send', 'JSON', 'scene:hello', '--wait'])).stderr).toBe('');
  for (const args of [['-c'], ['-r', 'other']]) {
    expect([args, await start(world.projectDir, ...args)]).toMatchObject([args, refused]);
  }
  expect((await cbos.cli(['stop', 'OWN'])).code).toBe(0);
  for (const args of [['-c'], ['-r', 'other']]) {
    expect([args, await start(world.projectDir, ...args)]).toMatchObject([args, { code: 0, stderr: '' }]);
    await cbos.until('SECOND', ({ claude_session_id }) => claude_session_id === id, 'continues the conversation');
    const again = await cbos.cli(['restart', 'OWN']);
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('SECOND has the conversation open') });
    expect(again.stderr).toContain('cbos stop SECOND');
    expect((await cbos.cli(['rm', 'SECOND', '--yes'])).code).toBe(0);
  }
  expect((await cbos.cli(['restart', 'OWN'])).stderr).toBe('');
});

test('a conversation that somebody opens with /resume while it is open elsewhere is named as shared in both sessions', async () => {
  await cbos.cli(['rm', 'SECOND', '--yes']);
  expect((await start(world.projectDir)).stderr).toBe('');
  expect((await cbos.cli(['send', 'SECOND', 'scene:hello', '--wait'])).stderr).toBe('');
  expect((await cbos.cli(['send', 'SECOND', '--command', '--', `/resume ${id}`])).stderr).toBe('');
  await cbos.until('SECOND', ({ also_open_in }) => also_open_in === 'OWN', 'shares the conversation');
  await cbos.until('OWN', ({ also_open_in }) => also_open_in === 'SECOND', 'shares it too');
  expect((await cbos.cli(['show', 'OWN'])).stdout).toContain('its conversation is also open in SECOND');
  expect((await cbos.cli(['rename', 'SECOND', 'THIRD'])).code).toBe(0);
  await cbos.until('OWN', ({ also_open_in }) => also_open_in === 'THIRD', 'names the other session anew');
  // The cure that `cbos show` names.
  expect((await cbos.cli(['stop', 'THIRD'])).code).toBe(0);
  await cbos.until('OWN', ({ also_open_in }) => also_open_in === undefined, 'has the conversation alone again');
  expect((await cbos.cli(['send', 'OWN', 'scene:hello', '--wait'])).stderr).toBe('');
});
