import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finished, type FinishPlan, finishWorktree } from '../../src/platform/git/finish-worktree.ts';
import type { Worktree } from '../../src/protocol/index.ts';
import { hashFiles, type WorktreeRepository } from './worktree-repository.ts';

/** A worktree as CBOS creates it, without a session in it. */
export interface WorktreeUnderTest {
  path: string;
  branch: string;
  git(...args: string[]): string;
  write(name: string, content: string | Buffer): void;
  /** @returns the commit */
  commit(message: string, name: string, content: string): string;
  /** all of the worktree's files, its commit, and the output of git status */
  look(): { files: Record<string, string>; head: string; status: string };
  finish(how: FinishPlan['how'], more?: FinishOptions): Promise<Finished>;
  /** whether the folder, everything left in it, and git's record of the worktree are all gone */
  isGone(): boolean;
}

export interface FinishOptions {
  into?: string;
  environment?: Record<string, string | undefined>;
  stop?: () => Promise<void>;
}

export function finishing(repository: WorktreeRepository, name: string): WorktreeUnderTest {
  const path = join(repository.path, '.claude', 'worktrees', name);
  const branch = `branch-${name}`;
  repository.git('worktree', 'add', '--quiet', '-b', branch, path);
  appendFileSync(join(repository.path, '.git/info/exclude'), '/.claude/worktrees/\n');
  const at = { path, repository: repository.path, branch, base: 'main' };
  const worktree: Worktree = { ...at, new_branch: true, left_out: [] };
  const git = (...args: string[]): string => repository.gitIn(path, ...args);
  const write = (file: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  };
  return {
    path,
    branch,
    git,
    write,
    commit: (message, file, content) => {
      write(file, content);
      git('add', '--', file);
      git('commit', '--quiet', '--message', message, '--', file);
      return git('rev-parse', 'HEAD');
    },
    look: () => ({
      files: hashFiles(path),
      head: git('rev-parse', '--revs-only', 'HEAD'),
      status: git('status', '--porcelain', '--untracked-files=all'),
    }),
    finish: (how, { into, environment, stop } = {}) =>
      finishWorktree(
        { ...repository.place, environment: environment ?? repository.place.environment },
        { session: name, worktree, how, into: into ?? null, since: 0 },
        { now: Date.now, ownProcesses: async () => new Set(), stop: stop ?? (async () => undefined) },
      ),
    isGone: () =>
      !existsSync(path) &&
      !readdirSync(dirname(path)).some((one) => one.startsWith(`.${name}.`)) &&
      !repository.git('worktree', 'list', '--porcelain').includes(path),
  };
}
