import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../platform/files/regular-file.ts';

/** How long to wait for a folder. A network disk that does not answer must not delay a list. */
const LONGEST_WAIT_MS = 200;

/** The size of the longest possible branch name or worktree reference. A longer file does not belong to git. */
const MOST_BYTES = 4_096;

/**
 * Returns the git branch of each folder, read from its `.git` without running `git`. For a detached head, the
 * beginning of its commit is returned. Folders outside a repository are left out.
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

/**
 * Returns the git directory of a folder. In a worktree or a submodule, `.git` is a file that contains the path of the
 * directory.
 */
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

/** Returns the content of a small file. Empty if it is not a file or cannot be read. */
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
