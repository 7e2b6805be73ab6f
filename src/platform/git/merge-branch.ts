import { CatalogueError, type FinishHow } from '../../protocol/index.ts';
import { someNames } from '../../text/name-list.ts';
import { commitOf, isAncestor, namesIn, treeOf } from './repository.ts';
import { askGit, type GitPlace, gitFailed, tryGit } from './run-git.ts';

export type MergeHow = Exclude<FinishHow, 'keep' | 'discard'>;

export interface MergeRequest {
  how: MergeHow;
  /** the session that made the changes */
  session: string;
  /** the branch that receives the changes */
  base: string;
  /** the branch that contains the changes, for the commit message */
  branch: string;
  /** the commit that contains the changes */
  tip: string;
  /** the worktree in which the changes were made */
  worktree: string;
}

/**
 * The planned new state of the base. Nothing has changed yet, because the new commits exist only in the object
 * database.
 */
export interface MergePlan {
  base: string;
  from: string;
  /** the same as `from` if the base already contains all the changes */
  to: string;
}

/**
 * Computes a merge without changing a checkout, a branch, or an index. As in git, a rebase drops merge commits.
 * @param place the main checkout
 * @throws CatalogueError no_such_ref, no_identity, merge_conflict with the files, git_failed
 */
export async function planMerge(place: GitPlace, request: MergeRequest): Promise<MergePlan> {
  try {
    return await plan(place, request);
  } catch (error) {
    if (!(error instanceof CatalogueError) || error.code !== 'merge_conflict') throw error;
    throw new CatalogueError(error.code, error.message, { hint: conflictHint(request), extra: { ...error.extra } });
  }
}

/** Returns the command that passes a conflict to the session. Names that a shell would interpret are omitted. */
function conflictHint({ session, base }: MergeRequest): string {
  const what = /^[\w./-]+$/.test(base) ? base : 'the base';
  return `\`cbos send ${session} "Merge ${what} into your branch and resolve the conflicts"\` tells the session to resolve them; then try again`;
}

async function plan(place: GitPlace, request: MergeRequest): Promise<MergePlan> {
  const { how, base, branch, tip } = request;
  const from = await commitOf(place, `refs/heads/${base}`);
  if (from === null) throw new CatalogueError('no_such_ref', `The repository has no branch ${JSON.stringify(base)}`);
  if (await isAncestor(place, tip, from)) return { base, from, to: from };
  if (how !== 'squash' && (await isAncestor(place, from, tip))) return { base, from, to: tip };
  await requireUnsigned(place, request);
  if (how === 'rebase') return { base, from, to: await replay(place, request, from) };
  const tree = await mergeTrees(place, from, tip);
  // A server that was killed may already have squashed the same changes.
  if (how === 'squash' && tree === (await treeOf(place, from))) return { base, from, to: from };
  await requireIdentity(place);
  const parents = how === 'merge' ? ['-p', from, '-p', tip] : ['-p', from];
  const input = how === 'merge' ? `Merge branch '${branch}' into ${base}\n` : await squashMessage(place, request, from);
  return { base, from, to: await askGit(['commit-tree', ...parents, '-F', '-', tree], { ...place, input }) };
}

/**
 * Refuses to create a commit that the user wants to be signed. CBOS runs no signing program, because a repository could
 * name any program, and an unsigned commit would only be noticed later.
 * @throws CatalogueError signing_required
 */
async function requireUnsigned(place: GitPlace, { base, session, worktree }: MergeRequest): Promise<void> {
  // With `extensions.worktreeConfig`, each worktree may have settings of its own.
  if (!(await signs(place)) && !(await signs({ ...place, cwd: worktree }))) return;
  const what = /^[\w./-]+$/.test(base) ? base : 'the base';
  throw new CatalogueError('signing_required', `A new commit on ${base} would have to be signed`, {
    hint: `\`cbos send ${session} "Merge ${what} into your branch"\` makes the session's own git sign that merge; \`cbos finish ${session} --merge\` is then a fast-forward; nothing was changed`,
  });
}

async function signs(place: GitPlace): Promise<boolean> {
  const words = ['config', '--type=bool', '--show-scope', '--get-all', 'commit.gpgSign'];
  const said = (await tryGit(words, place)).stdout.toString('utf8').split('\n');
  // The scope of CBOS's own settings is `command`; see git-environment.ts.
  const last = said.findLast((line) => line !== '' && !line.startsWith('command\t'));
  return last?.endsWith('\ttrue') === true;
}

/** Checks that git has an author name for commits in this repository. @throws CatalogueError no_identity */
async function requireIdentity(place: GitPlace): Promise<void> {
  for (const variable of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const asked = await tryGit(['var', variable], place);
    if (asked.code !== 0) throw new CatalogueError('no_identity');
  }
}

/** Returns the subjects of all commits, or the full message if there is only one commit. */
async function squashMessage(place: GitPlace, { branch, tip }: MergeRequest, from: string): Promise<string> {
  const commits = (await askGit(['rev-list', '--reverse', tip, `^${from}`, '--'], place)).split('\n');
  const [only] = commits;
  if (commits.length === 1 && only !== undefined) return askGit(['log', '-1', '--format=%B', only, '--'], place);
  const subjects = await askGit(['log', '--reverse', '--no-merges', '--format=* %s', tip, `^${from}`, '--'], place);
  return `Merge the changes of ${branch}\n\n${subjects}\n`;
}

/** @returns the tree of a merge @throws CatalogueError merge_conflict */
async function mergeTrees(place: GitPlace, ours: string, theirs: string): Promise<string> {
  const { tree, conflicts: files } = await tryMerge(place, ours, theirs);
  if (files.length === 0) return tree;
  const many = files.length === 1 ? 'is' : 'are';
  throw new CatalogueError('merge_conflict', `${someNames(files)} ${many} in conflict; nothing was changed`, {
    extra: { files },
  });
}

/** Returns the files that would conflict if one commit were merged into the other. */
export async function findConflicts(place: GitPlace, ours: string, theirs: string): Promise<string[]> {
  return (await tryMerge(place, ours, theirs)).conflicts;
}

async function tryMerge(place: GitPlace, ours: string, theirs: string): Promise<{ tree: string; conflicts: string[] }> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const merged = await tryGit(args, place);
  if (merged.code > 1) throw gitFailed(args, merged);
  const [tree = '', ...names] = namesIn(merged.stdout);
  return { tree, conflicts: merged.code === 0 ? [] : [...new Set(names)] };
}

/** Replays the commits of a branch, one after another, on top of another commit. */
async function replay(place: GitPlace, { tip }: MergeRequest, onto: string): Promise<string> {
  const words = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--cherry-pick', '--right-only'];
  const listed = await askGit([...words, `${onto}...${tip}`, '--'], place);
  const commits = listed.split('\n').filter((one) => one !== '');
  if (commits.length > 0) await requireIdentity(place);
  let current = onto;
  for (const commit of commits) current = await pick(place, commit, current);
  return current;
}

async function pick(place: GitPlace, commit: string, onto: string): Promise<string> {
  const parent = await commitOf(place, `${commit}^`);
  const tree = await mergeTrees(place, ...(await asSiblings(place, { commit, parent, onto })));
  // In this case, the base already contains this change.
  if (tree === (await treeOf(place, onto))) return onto;
  const shown = await askGit(['log', '-1', '--date=raw', '--format=%an%x00%ae%x00%ad%x00%B', commit, '--'], place);
  const [name = '', email = '', date = '', ...message] = shown.split('\0');
  return askGit(['commit-tree', '-p', onto, '-F', '-', tree], {
    ...place,
    input: message.join('\0'),
    variables: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` },
  });
}

/**
 * Creates two unreferenced commits with the same trees, whose only common parent is the parent of the commit that is
 * being replayed. `merge-tree` then merges as `cherry-pick` would. Only git 2.40 and later accepts an explicit merge
 * base.
 */
async function asSiblings(
  place: GitPlace,
  { commit, parent, onto }: { commit: string; parent: string | null; onto: string },
): Promise<[string, string]> {
  const bare = (tree: string, above: readonly string[]): Promise<string> =>
    askGit(['commit-tree', ...above.flatMap((one) => ['-p', one]), '-m', 'x', tree], place);
  const before = parent === null ? await askGit(['mktree'], place) : await treeOf(place, parent);
  const root = await bare(before, []);
  return [await bare(await treeOf(place, onto), [root]), await bare(await treeOf(place, commit), [root])];
}
