import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { previewFinish } from '../../../src/platform/git/finish-worktree.ts';
import type { MergeHow } from '../../../src/platform/git/merge-branch.ts';
import type { FinishPreview } from '../../../src/protocol/index.ts';
import { finishing, type WorktreeUnderTest } from '../../harness/finishing.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

/** Every hook that the commands of git can run in a repository that is not a server (githooks(5), git 2.39). */
const ALL = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'prepare-commit-msg'],
  ...['commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge', 'pre-push', 'post-rewrite'],
  ...['reference-transaction', 'post-index-change', 'pre-auto-gc', 'sendemail-validate'],
];

let world: World;
let repository: WorktreeRepository;
let its: WorktreeUnderTest;
let log: string;
let count = 0;
beforeAll(() => {
  world = createWorld();
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  repository = createWorktreeRepository(world, `repository-${count}`);
  repository.commit('first', { 'a.txt': 'one\n', 'b.txt': 'b\n' });
  its = finishing(repository, 'AUTH');
  log = join(repository.path, '.git', 'ran');
});

/** Makes a hook that writes its name. */
function hook(folder: string, name: string, mode = 0o755): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho ${name} >> '${log}'\n`);
  chmodSync(path, mode);
}
const hooks = (): string => join(repository.path, '.git', 'hooks');
const ran = (): string[] =>
  existsSync(log) ? [...new Set(readFileSync(log, 'utf8').trimEnd().split('\n'))].sort() : [];
const preview = (): Promise<FinishPreview> => {
  const { path, branch } = its;
  const worktree = { path, repository: repository.path, branch, base: 'main', new_branch: true, left_out: [] };
  return previewFinish({ ...repository.place, cwd: '/' }, { session: 'AUTH', worktree, into: null, since: 0 });
};
const work = (): string => its.commit('work', 'a.txt', 'two\n');
const goApart = (): void => {
  work();
  repository.commit('meanwhile', { 'b.txt': 'meanwhile\n' });
};

describe('a finish runs none of the hooks that git runs, and names exactly those:', () => {
  const byGit: Record<MergeHow, () => void> = {
    merge: () => repository.git('merge', '--quiet', '--no-edit', its.branch),
    rebase: () => {
      its.git('rebase', '--quiet', 'main');
      repository.git('merge', '--quiet', '--ff-only', its.branch);
    },
    squash: () => {
      repository.git('merge', '--quiet', '--squash', its.branch);
      repository.git('commit', '--quiet', '--message', 'squashed');
    },
  };
  const rows = (['merge', 'rebase', 'squash'] as const).flatMap((how) =>
    [false, true].map((isForward) => ({ how, isForward, what: isForward ? 'that can be a fast-forward' : 'apart' })),
  );
  test.each(rows)('$how of commits $what', async ({ how, isForward }) => {
    if (isForward) work();
    else goApart();
    const [base, tip] = [repository.git('rev-parse', 'main'), its.git('rev-parse', 'HEAD')];
    for (const name of ALL) hook(hooks(), name);
    byGit[how]();
    const byGitRun = ran();
    expect(byGitRun).toContain('post-merge');
    repository.git('reset', '--quiet', '--hard', base);
    its.git('reset', '--quiet', '--hard', tip);
    rmSync(log);
    const { skipped_hooks: shown } = await preview();
    expect(shown[how]).toEqual(byGitRun);
    expect((await its.finish(how)).skippedHooks).toEqual(byGitRun);
    expect(ran()).toEqual([]);
  });
});

describe('a finish names', () => {
  beforeEach(goApart);

  test('the hooks of core.hooksPath instead of others, in the checkout whose setting it is', async () => {
    hook(hooks(), 'pre-merge-commit');
    hook(join(repository.path, 'tools/hooks'), 'commit-msg');
    appendFileSync(join(repository.path, '.git/info/exclude'), '/tools/\n');
    repository.git('config', 'core.hooksPath', 'tools/hooks');
    expect((await preview()).skipped_hooks).toEqual({ merge: ['commit-msg'], rebase: [], squash: ['commit-msg'] });
  });

  test('the hooks that Husky would run, and not the files that it creates for all hooks', async () => {
    for (const name of ALL) hook(join(repository.path, '.husky/_'), name);
    hook(join(repository.path, '.husky/_'), 'h', 0o644);
    hook(join(repository.path, '.husky'), 'commit-msg', 0o644);
    appendFileSync(join(repository.path, '.git/info/exclude'), '/.husky/\n');
    repository.git('config', 'core.hooksPath', '.husky/_');
    expect((await preview()).skipped_hooks).toEqual({ merge: ['commit-msg'], rebase: [], squash: ['commit-msg'] });
  });

  test('the hooks that the configuration defines, unless they are switched off', async () => {
    repository.git('config', 'hook.lint.event', 'pre-merge-commit');
    repository.git('config', 'hook.lint.command', `echo lint >> '${log}'`);
    repository.git('config', 'hook.off.event', 'commit-msg');
    repository.git('config', 'hook.off.command', `echo off >> '${log}'`);
    repository.git('config', 'hook.off.enabled', 'false');
    expect((await preview()).skipped_hooks.merge).toEqual(['pre-merge-commit']);
    expect((await its.finish('merge')).skippedHooks).toEqual(['pre-merge-commit']);
    expect(ran()).toEqual([]);
  });

  test('no hook that git would not run: samples, files that are not executable, folders', async () => {
    hook(hooks(), 'commit-msg', 0o644);
    hook(hooks(), 'pre-merge-commit.sample');
    mkdirSync(join(hooks(), 'prepare-commit-msg'));
    expect((await preview()).skipped_hooks.merge).toEqual([]);
    expect((await its.finish('merge')).skippedHooks).toEqual([]);
  });

  test('none if it merges nothing', async () => {
    for (const name of ALL) hook(hooks(), name);
    expect((await its.finish('keep')).skippedHooks).toBeUndefined();
  });
});
