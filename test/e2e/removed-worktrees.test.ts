import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { type Cbos, type CliResult, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { offeredCommand, shellWordsOf } from '../harness/offered-command.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

const LOST_PROMPT = 'scene:hello into the start folder';

const enters = (name: string): Scene => ({
  name: `enter ${name}`,
  about: 'The model moves the session into a worktree',
  replies: [
    { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name } }] },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'I work in the worktree now.' }] },
  ],
});

let world: ClaudeWorld;
let shop: WorktreeRepository;
let cbos: Cbos;
let kept: KeptConversations;
beforeAll(async () => {
  const enter = (prompt: string): Scene | null => {
    const [, name] = /enter the worktree (\w+)/.exec(prompt) ?? [];
    return name === undefined ? null : enters(name);
  };
  world = await claudeWorld({ choosers: [enter] });
  shop = createWorktreeRepository(world, 'project');
  shop.commit('begin', { 'a.txt': 'a\n' });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  kept = keptConversations(world, () => cbos);
});
afterEach(() => kept.clear());
afterAll(() => world.dispose());

const placeOf = (slug: string): string => join(world.projectDir, '.claude', 'worktrees', slug);
/** Runs a turn. On a busy machine, the command may also say that Claude Code has not confirmed the prompt yet. */
async function ask(slug: string, text: string): Promise<void> {
  expect((await cbos.cli(['send', slug, text, '--wait'])).code).toBe(0);
}
/** Starts a session whose model moves it into a worktree with the session's name. */
async function beginInWorktree(slug: string, type: 'screen' | 'json' = 'screen'): Promise<void> {
  expect((await cbos.cli(['new', slug, world.projectDir, '--type', type])).code).toBe(0);
  await ask(slug, `scene:hello remember ${slug}`);
  await ask(slug, `enter the worktree ${slug}`);
  await cbos.until(slug, ({ place }) => place === placeOf(slug), 'is in the worktree');
}
/** Removes the worktree as a person does, also from git's list. Claude Code leaves a lock behind. */
const remove = (slug: string): string => shop.git('worktree', 'remove', '--force', '--force', placeOf(slug));

/** Checks that a command is refused with both cures, and that nothing has worked in the start folder. */
function isRefused(slug: string, { code, stderr }: CliResult): void {
  expect([code, stderr]).toEqual([2, expect.stringContaining(`The worktree ${placeOf(slug)} no longer exists`)]);
  expect(offeredCommand(stderr, 'git')).toBe(
    `git -C ${world.projectDir} worktree add ${placeOf(slug)} worktree-${slug}`,
  );
  expect(offeredCommand(stderr, 'cbos')).toBe(`cbos restart ${slug} --start-folder`);
  expect(world.promptsReceived()).not.toContain(LOST_PROMPT);
}
function bringBack(slug: string, { stderr }: CliResult): void {
  execFileSync('sh', ['-c', offeredCommand(stderr, 'git')], { cwd: '/', env: world.env, stdio: 'ignore' });
  expect(existsSync(join(placeOf(slug), 'a.txt'))).toBe(true);
}
/** Starts the session in its own folder with the command that an error offers, and checks that it stays there. */
async function startInOwnFolder(slug: string, { stderr }: CliResult): Promise<void> {
  const [, ...args] = shellWordsOf(offeredCommand(stderr, 'cbos'));
  expect(await cbos.cli(args)).toMatchObject({ code: 0, stderr: '' });
  await ask(slug, 'scene:hello again');
  expect(kept.remembers(slug)).toBe(true);
  expect(await cbos.session(slug)).not.toHaveProperty('place');
}

describe('a session whose worktree was removed with git never works elsewhere without a word:', {
  timeout: 300_000,
}, () => {
  test('a parked one is not woken by a prompt or otherwise, and works there again once it is back', async () => {
    await beginInWorktree('PARKED');
    expect((await cbos.cli(['park', 'PARKED'])).stderr).toBe('');
    remove('PARKED');
    const refused = await cbos.cli(['send', 'PARKED', LOST_PROMPT]);
    isRefused('PARKED', refused);
    for (const word of ['wake', 'restart']) isRefused('PARKED', await cbos.cli([word, 'PARKED']));
    expect(await cbos.session('PARKED')).toMatchObject({ pid: null, parked_at: expect.any(String) });

    bringBack('PARKED', refused);
    await ask('PARKED', 'scene:hello again');
    expect(kept.remembers('PARKED')).toBe(true);
    await cbos.until('PARKED', ({ place }) => place === placeOf('PARKED'), 'is in the worktree');

    // A process that works there is not ended for a conversion that would be refused.
    remove('PARKED');
    isRefused('PARKED', await cbos.cli(['convert', 'PARKED', 'json']));
    expect((await cbos.session('PARKED')).pid).not.toBeNull();
  });

  test('a stopped one starts in its own folder on request only', async () => {
    await beginInWorktree('STOPPED');
    await cbos.cli(['stop', 'STOPPED']);
    // The request changes nothing while the worktree exists.
    expect((await cbos.cli(['restart', 'STOPPED', '--start-folder'])).stderr).toBe('');
    await ask('STOPPED', 'scene:hello again');
    expect(await cbos.session('STOPPED')).toMatchObject({ place: placeOf('STOPPED') });
    await cbos.cli(['stop', 'STOPPED']);
    remove('STOPPED');
    const refused = await cbos.cli(['restart', 'STOPPED']);
    isRefused('STOPPED', refused);
    expect(await cbos.session('STOPPED')).toMatchObject({ state: 'dead', place: placeOf('STOPPED') });
    await startInOwnFolder('STOPPED', refused);
    await kept.restart('STOPPED');
  });

  test('a lost one is not restored before it is back', async () => {
    await beginInWorktree('LOST');
    const { screen_id: screen, pid } = await cbos.session('LOST');
    for (const one of [pid, Number(screen?.split('.')[0])]) process.kill(one ?? 0, 'SIGKILL');
    await cbos.until('LOST', ({ lost }) => lost !== undefined, 'is lost');
    remove('LOST');
    const left = await cbos.cli(['restore', '--yes']);
    expect(left.stdout + left.stderr).toContain('LOST stays as it is: its worktree no longer exists');
    expect(left.stdout + left.stderr).toContain('`cbos restart LOST` names');
    expect(await cbos.session('LOST')).toMatchObject({ state: 'dead', lost: expect.any(String) });
    const refused = await cbos.cli(['restart', 'LOST']);
    isRefused('LOST', refused);
    bringBack('LOST', refused);
    expect(await cbos.cli(['restore', '--yes'])).toMatchObject({ code: 0, stderr: '' });
    await ask('LOST', 'scene:hello again');
    expect(kept.remembers('LOST')).toBe(true);
  });

  test('a JSON session without a process refuses a prompt and a conversion', async () => {
    await beginInWorktree('QUIET', 'json');
    await kept.untilQuiet('QUIET');
    remove('QUIET');
    const refused = await cbos.cli(['send', 'QUIET', LOST_PROMPT]);
    isRefused('QUIET', refused);
    isRefused('QUIET', await cbos.cli(['convert', 'QUIET', 'screen']));
    await startInOwnFolder('QUIET', refused);
  });
});
