import { join } from 'node:path';
import { CatalogueError, type ChangesBase } from '../../protocol/index.ts';
import { openRegularFile } from '../files/regular-file.ts';
import { type GitCall, readGit } from './read-git.ts';
import { lines, type WorkingTree } from './working-tree.ts';

type Call = Pick<GitCall, 'env' | 'signal'>;

/**
 * How much of a reflog is read: the first bytes if a branch's first entry is needed, or the last bytes, which hold
 * thousands of the newest `HEAD` entries.
 */
const FIRST_BYTES = 4_096;
const LAST_BYTES = 512 * 1024;

const BRANCHES = 'refs/heads/';

/** Common names of the default branch, which are tried if nothing else identifies it. */
const DEFAULT_BRANCHES: readonly string[] = [
  'refs/remotes/origin/HEAD',
  'refs/remotes/origin/main',
  'refs/remotes/origin/master',
  'refs/heads/main',
  'refs/heads/master',
];

/**
 * Finds the commit to compare the working tree with. This is the merge base with the branch from which the current
 * branch was created, with its upstream, or with the default branch. If none of these exists, it is the last commit.
 * @param asked a revision that the caller wants to compare with instead
 * @throws CatalogueError no_such_ref, git_failed
 */
export async function findBase(repository: WorkingTree, asked: string | null, call: Call): Promise<ChangesBase> {
  const { head } = repository;
  if (asked !== null) return { kind: 'asked', ref: asked, commit: await askedBase(repository, asked, call) };
  if (head === null) return { kind: 'nothing', ref: null, commit: null };
  for (const { kind, find } of CANDIDATES) {
    const ref = await find(repository, call);
    const commit = ref === null ? null : await mergeBase(repository, ref, call);
    if (ref !== null && commit !== null) return { kind, ref: shortName(ref), commit };
  }
  return { kind: 'last_commit', ref: null, commit: head };
}

const CANDIDATES: readonly {
  kind: ChangesBase['kind'];
  find(repository: WorkingTree, call: Call): Promise<string | null>;
}[] = [
  { kind: 'started_from', find: startedFrom },
  { kind: 'upstream', find: upstreamOf },
  { kind: 'default_branch', find: defaultBranch },
];

/** Returns the merge base with a requested branch or tag, as `git diff REF...` does. */
async function askedBase(repository: WorkingTree, asked: string, call: Call): Promise<string> {
  const commit = asked.startsWith('-') ? null : await commitOf(repository, asked, call);
  if (commit === null)
    throw new CatalogueError('no_such_ref', `The repository has no revision ${JSON.stringify(asked)}`);
  if (repository.head === null) return commit;
  const base = await mergeBase(repository, commit, call);
  if (base !== null) return base;
  throw new CatalogueError(
    'no_such_ref',
    `${JSON.stringify(asked)} has no commit in common with the checked-out branch`,
  );
}

async function commitOf({ root }: WorkingTree, revision: string, call: Call): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`];
  const { code, stdout } = await readGit(args, { ...call, cwd: root, answers: [0, 1, 128] });
  return code === 0 ? (lines(stdout)[0] ?? null) : null;
}

async function mergeBase({ root }: WorkingTree, ref: string, call: Call): Promise<string | null> {
  const { code, stdout } = await readGit(['merge-base', 'HEAD', ref], { ...call, cwd: root, answers: [0, 1, 128] });
  return code === 0 ? (lines(stdout)[0] ?? null) : null;
}

async function upstreamOf({ root, branch }: WorkingTree, call: Call): Promise<string | null> {
  if (branch === null) return null;
  const { stdout } = await readGit(['for-each-ref', '--format=%(upstream)', branch], { ...call, cwd: root });
  const [upstream = ''] = lines(stdout);
  return upstream === '' ? null : upstream;
}

/**
 * Returns the default branch, or null if it is checked out. Commits on the default branch itself do not count as a
 * session's changes.
 */
async function defaultBranch(repository: WorkingTree, call: Call): Promise<string | null> {
  const { root, branch } = repository;
  const { stdout } = await readGit(['for-each-ref', '--format=%(refname)%00%(symref)', ...DEFAULT_BRANCHES], {
    ...call,
    cwd: root,
  });
  const there = new Map(lines(stdout).map((line) => line.split('\0') as [string, string]));
  const name = DEFAULT_BRANCHES.find((one) => there.has(one));
  if (name === undefined) return null;
  const real = there.get(name) || name;
  return real === branch ? null : real;
}

/**
 * Returns the branch from which the current branch was created, according to the reflog. If the reflog says `HEAD`, the
 * reflog of `HEAD` shows which branch was checked out at that time. The entries contain only names, so only a branch
 * that still exists counts.
 */
async function startedFrom(repository: WorkingTree, call: Call): Promise<string | null> {
  const { gitDir, commonDir, branch } = repository;
  if (branch === null) return null;
  const [first = ''] = await readPart(join(commonDir, 'logs', branch), 'first');
  const [, commit, from] = /^0+ ([0-9a-f]+) [^\t]*\tbranch: Created from (.+)$/.exec(first) ?? [];
  if (commit === undefined || from === undefined) return null;
  if (from !== 'HEAD') return branchNamed(repository, from, call);
  const moved = ` to ${branch.slice(BRANCHES.length)}`;
  for (const line of await readPart(join(gitDir, 'logs', 'HEAD'), 'last')) {
    const [, at, name] = /^[0-9a-f]+ ([0-9a-f]+) [^\t]*\tcheckout: moving from (.+)$/.exec(line) ?? [];
    if (at === commit && name?.endsWith(moved)) return branchNamed(repository, name.slice(0, -moved.length), call);
  }
  return null;
}

async function branchNamed({ root, branch }: WorkingTree, name: string, call: Call): Promise<string | null> {
  const names = name.startsWith('refs/') ? [name] : [`${BRANCHES}${name}`, `refs/remotes/${name}`];
  const { stdout } = await readGit(['for-each-ref', '--format=%(refname)', ...names], { ...call, cwd: root });
  return lines(stdout).find((one) => names.includes(one) && one !== branch) ?? null;
}

async function readPart(path: string, which: 'first' | 'last'): Promise<string[]> {
  const file = await openRegularFile(path).catch(() => null);
  if (file === null) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, which === 'first' ? FIRST_BYTES : LAST_BYTES);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(length),
      0,
      length,
      which === 'first' ? 0 : size - length,
    );
    return buffer.toString('utf8', 0, bytesRead).split('\n');
  } finally {
    await file.close();
  }
}

export function shortName(ref: string): string {
  return ref.replace(/^refs\/(heads|remotes|tags)\//, '');
}
