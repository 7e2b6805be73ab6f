import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cbos, type CliResult, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { offeredCommand } from '../harness/offered-command.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let shop: WorktreeRepository;
let count = 0;
let slug: string;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', projects: ['a shop'] });
  shop = createWorktreeRepository(world, 'a shop');
  shop.commit('first', { 'a.txt': 'a\n' });
  cbos = await startCbos(world);
});
beforeEach(() => {
  count += 1;
  slug = `GONE-${count}`;
});
afterAll(() => world.dispose());

const folder = (): string => join(shop.path, '.claude', 'worktrees', slug);
const cli = (...args: string[]): Promise<CliResult> => cbos.cli(args, { cwd: shop.path });
/** Starts a session in a new worktree, in which it makes a commit, and stops the session. */
async function startAndStop(type: 'screen' | 'json'): Promise<void> {
  expect((await cli('new', slug, shop.path, '--type', type, '--worktree')).stderr).toBe('');
  if (type === 'screen') await cbos.untilStatus(slug, 'idle/ready');
  else expect((await cli('send', slug, 'scene:hello', '--wait')).stderr).toBe('');
  shop.gitIn(folder(), 'commit', '--quiet', '--allow-empty', '--message', `of ${slug}`);
  expect((await cli('stop', slug)).code).toBe(0);
}

/** What people do to a worktree by hand. */
const DEEDS: Readonly<Record<string, () => void>> = {
  'was deleted': () => rmSync(folder(), { recursive: true }),
  'was deleted, and is an empty folder again': () => {
    rmSync(folder(), { recursive: true });
    mkdirSync(folder());
  },
  'lost its .git file': () => rmSync(join(folder(), '.git')),
  'was locked and deleted': () => {
    shop.git('worktree', 'lock', folder());
    rmSync(folder(), { recursive: true });
  },
  'was deleted and pruned': () => {
    rmSync(folder(), { recursive: true });
    shop.git('worktree', 'prune');
  },
};

describe('the session of a worktree that', () => {
  test.each(Object.entries(DEEDS))('%s gets it back with the command that every refusal offers', async (_, deed) => {
    await startAndStop('screen');
    deed();
    const refusals = [
      await cli('restart', slug),
      await cli('diff', slug),
      await cli('turns', slug),
      await cli('fork', slug, `${slug}-2`),
      await cli('finish', slug, '--merge'),
      await cli('finish', slug, '--merge', '--yes'),
      await cli('finish', slug, '--pr', '--yes'),
    ];
    const offered = refusals.map(({ stderr }) => [stderr.includes(folder()), offeredCommand(stderr, 'git')]);
    const command = offeredCommand(refusals[0]?.stderr ?? '', 'git');
    expect(offered).toEqual(refusals.map(() => [true, command]));
    expect(refusals.map(({ code }) => code)).not.toContain(0);
    expect(await cbos.session(slug)).toMatchObject({ state: 'dead' });

    execFileSync('sh', ['-c', command], { cwd: '/', env: world.env, stdio: 'ignore' });
    expect(existsSync(join(folder(), 'a.txt'))).toBe(true);
    expect((await cli('restart', slug)).stderr).toBe('');
    await cbos.untilStatus(slug, 'idle/ready');
    expect((await cli('finish', slug, '--merge', '--yes')).stderr).toBe('');
    expect(shop.git('log', '-1', '--format=%s')).toBe(`of ${slug}`);
  });

  test.each(['was deleted', 'was deleted, and is an empty folder again'])(
    '%s never works in the main checkout: a JSON session refuses the next prompt',
    async (deed) => {
      await startAndStop('json');
      DEEDS[deed]?.();
      const restarted = await cli('restart', slug);
      const sent = await cli('send', slug, 'scene:hello', '--wait');
      for (const { code, stderr } of [restarted, sent]) {
        expect([code, stderr]).toEqual([2, expect.stringContaining(`worktree add -f '${folder()}' ${slug}`)]);
      }
    },
  );
});

test('the lists and new sessions name a deleted worktree as such, and both cures', async () => {
  await startAndStop('screen');
  DEEDS['was deleted']?.();
  const path = `'${folder()}'`;
  for (const args of [['worktrees'], ['worktrees', folder()]]) {
    const listed = await cli(...args);
    expect(listed.stdout).toContain(`${slug} (gone)`);
    expect(listed.stderr).toContain(`git -C '${shop.path}' worktree add -f ${path} ${slug}`);
    expect(listed.stderr).toContain(`git -C '${shop.path}' worktree prune`);
  }
  expect((await cli('show', slug)).stdout).not.toContain('(main)');
  const inFolder = await cli('new', 'OTHER', folder());
  mkdirSync(folder());
  for (const { code, stderr } of [inFolder, await cli('new', 'OTHER', folder())]) {
    expect([code, stderr]).toEqual([2, expect.stringContaining(`worktree add -f ${path} ${slug}`)]);
  }
  const onBranch = await cli('new', 'OTHER', shop.path, '--worktree', slug);
  expect([onBranch.code, onBranch.stderr]).toEqual([4, expect.stringContaining(`git worktree add -f ${path} ${slug}`)]);
  expect((await cbos.call('GET', '/sessions/OTHER')).status).toBe(404);
});
