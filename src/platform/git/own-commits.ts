import { join } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { commitOf, currentBranch } from './repository.ts';
import { askGit, type GitPlace, tryGit } from './run-git.ts';

/** Files in a worktree's git directory that may contain the only references to some commits. */
const OWN_HEADS = [
  'ORIG_HEAD',
  'FETCH_HEAD',
  'MERGE_HEAD',
  'MERGE_AUTOSTASH',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'rebase-merge/orig-head',
  'rebase-merge/autostash',
  'rebase-apply/orig-head',
  'rebase-apply/autostash',
];
/** The maximum size of such a file. A longer file was not written by git. */
const MOST_NAMES_BYTES = 1_000_000;

/**
 * Returns the commits that could be lost together with a worktree and its branch. They come from the worktree's HEAD,
 * its branch, the reflogs of both, unfinished operations, and the stashes of its branch. A commit in the history of
 * another of these commits is omitted.
 * @param place the worktree
 */
export async function findOwnCommits(
  place: GitPlace,
  { gitDir, branch, head }: { gitDir: string; branch: string; head: string | null },
): Promise<string[]> {
  const ref = `refs/heads/${branch}`;
  const files = OWN_HEADS.map(async (name) => {
    const path = join(gitDir, name);
    return (await readRegularFile(path, { mostBytes: MOST_NAMES_BYTES }).catch(() => null)) ?? '';
  });
  const texts = await Promise.all([
    head ?? '',
    ...files,
    reflogOf(place, 'HEAD'),
    reflogOf(place, ref),
    askGit(['for-each-ref', '--format=%(objectname)', ref, 'refs/worktree', 'refs/bisect'], place),
  ]);
  const named = new Set(texts.join('\n').match(/^(?:[0-9a-f]{40}|[0-9a-f]{64})\b/gm) ?? []);
  return [...(await findTips(place, [...named], branch)), ...(await stashesOf(place, branch))];
}

async function reflogOf(place: GitPlace, ref: string): Promise<string> {
  const listed = await tryGit(['log', '--walk-reflogs', '--format=%H', ref, '--'], place);
  return listed.stdout.toString('utf8');
}

/**
 * Drops the commits that another branch, a tag, or a remote branch contains. Of the others, returns those that are not
 * in the history of another one.
 */
async function findTips(place: GitPlace, commits: readonly string[], branch: string): Promise<string[]> {
  if (commits.length === 0) return [];
  const others = ['--not', `--exclude=${branch}`, '--branches', '--tags', '--remotes', '--not'];
  const words = ['rev-list', '--parents', '--ignore-missing', ...others, '--stdin'];
  const listed = await askGit(words, { ...place, input: `${commits.join('\n')}\n` });
  const lines = listed.split('\n').map((line) => line.split(' '));
  const parents = new Set(lines.flatMap(([, ...above]) => above));
  return lines.flatMap(([commit = '']) => (commit === '' || parents.has(commit) ? [] : [commit]));
}

/** All worktrees share the same stashes, but the message of a stash names its branch. */
async function stashesOf(place: GitPlace, branch: string): Promise<string[]> {
  if ((await commitOf(place, 'refs/stash')) === null) return [];
  const here = (await currentBranch(place)) ?? '(no branch)';
  const listed = await askGit(['log', '--walk-reflogs', '--format=%H %gs', 'refs/stash', '--'], place);
  return listed.split('\n').flatMap((line) => {
    const [, commit = '', of = ''] = /^(\S+) (?:WIP on|On) (.+?): /.exec(line) ?? [];
    return of === branch || of === here ? [commit] : [];
  });
}
