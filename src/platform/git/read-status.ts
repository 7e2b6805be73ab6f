import type { OwnGitDir } from './own-git-dir.ts';
import { splitNames } from './parse-diff.ts';
import { readGit } from './read-git.ts';

const UNTRACKED = '??';

export interface Status {
  /** the files that git neither tracks nor ignores, and the folders that are repositories, with a trailing slash */
  untracked: Buffer[];
  staged: ReadonlySet<string>;
  unstaged: ReadonlySet<string>;
  conflicted: ReadonlySet<string>;
}

/** Asks git for all of this at once, because starting a process takes longer than reading most working trees. */
export async function readStatus({ call }: Pick<OwnGitDir, 'call'>): Promise<Status> {
  const words = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=dirty'];
  const { stdout } = await readGit(words, call);
  const entries = splitNames(stdout).map((line) => ({ code: line.toString('latin1', 0, 2), name: line.subarray(3) }));
  const named = (isOne: (code: string) => boolean): Set<string> =>
    new Set(entries.flatMap(({ code, name }) => (code !== UNTRACKED && isOne(code) ? [String(name)] : [])));
  return {
    untracked: entries.flatMap(({ code, name }) => (code === UNTRACKED ? [name] : [])),
    staged: named((code) => code[0] !== ' '),
    unstaged: named((code) => code[1] !== ' '),
    conflicted: named((code) => code.includes('U') || code === 'AA' || code === 'DD'),
  };
}
