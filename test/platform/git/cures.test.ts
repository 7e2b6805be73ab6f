import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorktree, type MadeWorktree } from '../../../src/platform/git/create-worktree.ts';
import { finishWorktree } from '../../../src/platform/git/finish-worktree.ts';
import { offeredCommand } from '../../harness/offered-command.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let shop: WorktreeRepository;
beforeAll(() => {
  world = createWorld();
  shop = createWorktreeRepository(world, "Ada's $HOME shop");
  shop.commit('first', { 'a.txt': 'a\n', '.gitignore': '.claude\n' });
});
afterAll(() => world.dispose());

const make = (name: string): Promise<MadeWorktree> => createWorktree(shop.place, { name, branch: name, from: null });
const discard = ({ path, repository, branch, base }: MadeWorktree): Promise<unknown> =>
  finishWorktree(
    { cwd: '/', environment: world.env },
    {
      session: 'SHOP',
      worktree: { path, repository, branch, base, new_branch: true, left_out: [] },
      how: 'discard',
      into: null,
      since: 0,
    },
    { now: Date.now, ownProcesses: async () => new Set(), stop: async () => undefined },
  );

/** Runs the command that an error offers, in the repository. */
function follow(error: { hint: string }): void {
  execFileSync('sh', ['-c', offeredCommand(error.hint, 'git')], { cwd: shop.path, env: world.env });
}
const errorOf = (asked: Promise<unknown>) =>
  asked.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: unknown) => error as { code: string; hint: string },
  );

test('a copied command frees the branch of a locked worktree whose folder is gone, whatever is in its path', async () => {
  const made = await make('gone');
  shop.git('worktree', 'lock', made.path);
  rmSync(made.path, { recursive: true });
  const refused = await errorOf(make('gone'));
  expect(refused.code).toBe('branch_in_use');
  follow(refused);
  expect((await make('gone')).isNewBranch).toBe(false);
});

test('a copied command unlocks a worktree that is to be finished', async () => {
  const made = await make('locked');
  shop.git('worktree', 'lock', made.path);
  const refused = await errorOf(discard(made));
  expect(refused.code).toBe('worktree_locked');
  follow(refused);
  await discard(made);
});

test('a copied command deinitialises a submodule that stands in the way', async () => {
  const inner = createWorktreeRepository(world, 'inner');
  inner.commit('inner', { 'i.txt': 'i\n' });
  const allow = ['-c', 'protocol.file.allow=always'];
  shop.git(...allow, 'submodule', '--quiet', 'add', inner.path, 'two words');
  shop.commit('with a submodule');
  const made = await make('sub');
  shop.gitIn(made.path, ...allow, 'submodule', '--quiet', 'update', '--init');
  const refused = await errorOf(discard(made));
  expect(refused.code).toBe('worktree_submodules');
  follow(refused);
  expect(shop.gitIn(made.path, 'submodule', 'status')).toMatch(/^-/);
});
