import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import type { RepositoryWorktrees } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { offeredCommand, shellWordsOf } from '../harness/offered-command.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

const enters = (name: string): Scene => ({
  name: `enter ${name}`,
  about: 'The model moves the session into a worktree',
  replies: [
    { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name } }] },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'I work in the worktree now.' }] },
  ],
});

let world: ClaudeWorld;
let place: string;
let cbos: Cbos;
let kept: KeptConversations;
beforeAll(async () => {
  const enter = (prompt: string): Scene | null => {
    if (prompt.includes('leave for a worktree')) return enters('left');
    return prompt.includes('enter the worktree') ? enters('feat') : null;
  };
  world = await claudeWorld({ choosers: [enter] });
  place = join(world.projectDir, '.claude', 'worktrees', 'feat');
  createWorktreeRepository(world, 'project').commit('begin', { 'a.txt': 'a\n' });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1', CBOS_TURN_CHECKPOINTS: 'true' });
  kept = keptConversations(world, () => cbos);
});
afterEach(() => kept.clear());
afterAll(() => world.dispose());

/** Checks that every face speaks of the worktree in which the session works, and not of the folder where it started. */
async function isInWorktree(slug: string): Promise<void> {
  const session = await cbos.until(slug, (one) => one.place === place, 'is in the worktree');
  expect(session.path).toBe(world.projectDir);
  // On a busy machine, a command does not wait long for the branch.
  const untilPrinted = (args: readonly string[], line: RegExp): Promise<unknown> =>
    waitFor(async () => line.test((await cbos.cli(args)).stdout), { describe: `cbos ${args[0]} names the worktree` });
  await untilPrinted(['show', slug], /^ {2}place +.*\/worktrees\/feat \(worktree-feat\)$/m);
  await untilPrinted(['ls', '--columns', 'name,path,branch'], /worktrees\/feat +worktree-feat/);
  writeFileSync(join(place, 'only-here.txt'), 'here\n');
  expect((await cbos.cli(['diff', slug])).stdout).toContain('only-here.txt');
  const [listed] = (await cbos.call<RepositoryWorktrees[]>('GET', '/worktrees')).body;
  const one = listed?.worktrees.find((worktree) => worktree.path === place);
  expect(one).toMatchObject({ sessions: [slug], free: false });
  const body = { slug: 'SECOND', path: world.projectDir, worktree: { branch: 'worktree-feat', existing: true } };
  expect((await cbos.call('POST', '/sessions', body)).error?.code).toBe('worktree_in_use');
  for (const folder of [place, join(place, 'sub')]) {
    mkdirSync(folder, { recursive: true });
    const direct = await cbos.cli(['new', 'SECOND', folder]);
    expect([direct.code, direct.stderr]).toEqual([4, expect.stringContaining(`The session ${slug} works in`)]);
  }
  const rule = { effect: 'deny', tool: ['Bash'], project: [place] };
  const added = await cbos.call<{ id: string }>('POST', '/rules', rule);
  const asked = { tool: 'Bash', input: { command: 'make' }, session: slug };
  expect((await cbos.call('POST', '/rules/test', asked)).body).toMatchObject({ decision: 'deny' });
  await cbos.call('DELETE', `/rules/${added.body.id}`);
}

describe('a session continues its conversation in a worktree', { timeout: 300_000 }, () => {
  test('in a terminal, after the model has moved it into a worktree; and it returns there', async () => {
    await kept.begin('MOVED');
    expect(await cbos.session('MOVED')).not.toHaveProperty('place');
    await kept.ask('MOVED', 'enter the worktree');
    await isInWorktree('MOVED');
    await kept.restart('MOVED');
    await kept.ask('MOVED', 'scene:hello again');
    expect(kept.remembers('MOVED')).toBe(true);
    expect(await kept.transcriptOf('MOVED')).toContain('--claude-worktrees-feat/');
    await isInWorktree('MOVED');

    // The first turn ran where the session started, and a rewind restores the files there.
    const files = [world.projectDir, place].map((folder) => join(folder, 'a.txt'));
    for (const file of files) writeFileSync(file, 'changed\n');
    expect((await cbos.cli(['rewind', 'MOVED', '--before', '1', '--yes'])).stderr).toBe('');
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['a\n', 'changed\n']);

    // A copy of the conversation gets a worktree of its own, and works there.
    expect((await cbos.cli(['fork', 'MOVED', 'COPY'])).stderr).toBe('');
    await kept.ask('COPY', 'scene:hello from the copy');
    expect(kept.remembers('MOVED')).toBe(true);
    expect(await cbos.session('COPY')).not.toHaveProperty('place');
  });

  test('only if that worktree still exists, or on request: Claude Code would continue elsewhere', async () => {
    await kept.begin('LEFT');
    await kept.ask('LEFT', 'leave for a worktree');
    const left = join(world.projectDir, '.claude', 'worktrees', 'left');
    await cbos.until('LEFT', (one) => one.place === left, 'is in the worktree');
    await cbos.cli(['stop', 'LEFT']);
    rmSync(left, { recursive: true });
    const refused = await cbos.cli(['restart', 'LEFT']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`worktree add -f -f ${left} worktree-left`),
    ]);
    expect(await cbos.session('LEFT')).toMatchObject({ state: 'dead' });
    // That git has forgotten the worktree is no request.
    execFileSync('git', ['-C', world.projectDir, 'worktree', 'unlock', left], { env: world.env });
    execFileSync('git', ['-C', world.projectDir, 'worktree', 'prune'], { env: world.env });
    expect((await cbos.cli(['restart', 'LEFT'])).stderr).toContain(`worktree add ${left} worktree-left`);
    const [, ...args] = shellWordsOf(offeredCommand(refused.stderr, 'cbos'));
    expect((await cbos.cli(args)).stderr).toBe('');
    await kept.ask('LEFT', 'scene:hello again');
    expect(kept.remembers('LEFT')).toBe(true);
  });

  test('that was started with --worktree, and its worktree is in use', async () => {
    await kept.begin('FLAG', { args: ['--worktree', 'flagged'] });
    const place = join(world.projectDir, '.claude', 'worktrees', 'flagged');
    await cbos.until('FLAG', (one) => one.place === place, 'is in its worktree');
    const second = await cbos.cli(['new', 'SECOND', world.projectDir, '--', '-w', 'flagged']);
    expect([second.code, second.stderr]).toEqual([4, expect.stringContaining('The session FLAG works in')]);
    await kept.restart('FLAG');
    await kept.ask('FLAG', 'scene:hello again');
    expect(kept.remembers('FLAG')).toBe(true);
    await cbos.until('FLAG', (one) => one.place === place, 'is in its worktree');
  });

  test('that was started with --worktree without a name: its next process works in the same worktree', async () => {
    await kept.begin('NAMELESS', { type: 'json', args: ['-w'] });
    const { place: first } = await kept.untilQuiet('NAMELESS');
    expect(first).toContain('/.claude/worktrees/NAMELESS-');
    await kept.ask('NAMELESS', 'scene:hello again');
    expect(kept.remembers('NAMELESS')).toBe(true);
    expect((await kept.untilQuiet('NAMELESS')).place).toBe(first);
    const wrong = await cbos.cli(['new', 'WRONG', world.projectDir, '--type', 'json', '--', '--verbos']);
    expect(wrong.code).toBe(0);
    const refused = await cbos.cli(['send', 'WRONG', 'scene:hello', '--wait']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("unknown option '--verbos' (Did you")]);
  });

  test('as a JSON session that was idle, after the model has moved it into a worktree', async () => {
    await kept.begin('IDLE', { type: 'json' });
    await kept.ask('IDLE', 'enter the worktree');
    await kept.untilQuiet('IDLE');
    await isInWorktree('IDLE');
    await kept.ask('IDLE', 'scene:hello again');
    expect(kept.remembers('IDLE')).toBe(true);
  });
});
