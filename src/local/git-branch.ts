import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../platform/files/regular-file.ts';

/** How long to wait for a folder: one on a network disk that does not answer must not delay a list. */
const LONGEST_WAIT_MS = 200;

/** The longest branch name or reference to a worktree that is possible. A longer file is not git's. */
const MOST_BYTES = 4_096;

/**
 * The git branch of each folder, read from its `.git` without running `git`. A detached head shows the beginning of its
 * commit. Folders outside a repository are left out.
 */
export async function readGitBranches(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await inTime(readGitBranch(path))] as const),
  );
  return new Map(found.flatMap(([path, branch]) => (branch === null ? [] : [[path, branch] as const])));
}

async function readGitBranch(path: string): Promise<string | null> {
  for (let folder = path; ; folder = dirname(folder)) {
    const gitDir = await gitDirOf(folder);
    if (gitDir !== null) return branchOf(await readSmall(join(gitDir, 'HEAD')));
    if (folder === dirname(folder)) return null;
  }
}

/** The git directory of a folder. In a worktree or a submodule, `.git` is a file that names the directory. */
async function gitDirOf(folder: string): Promise<string | null> {
  const git = join(folder, '.git');
  const stats = await stat(git).catch(() => null);
  if (stats === null || stats.isDirectory()) return stats === null ? null : git;
  const [, target] = /^gitdir: (.+)$/m.exec(await readSmall(git)) ?? [];
  return target === undefined ? null : resolve(folder, target);
}

function branchOf(head: string): string | null {
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? [];
  return branch ?? /^[0-9a-f]{7}/.exec(head)?.[0] ?? null;
}

/** The content of a small file; empty if it is no file or cannot be read. */
async function readSmall(file: string): Promise<string> {
  return (await readRegularFile(file, { mostBytes: MOST_BYTES }).catch(() => null)) ?? '';
}

async function inTime(branch: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LONGEST_WAIT_MS);
  });
  try {
    return await Promise.race([branch, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
