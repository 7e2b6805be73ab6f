import { CatalogueError, type Worktree } from '../../protocol/index.ts';
import { requestWords } from '../../text/pull-request-words.ts';
import { uncommittedText } from '../../text/worktree-words.ts';
import { type ForgeRepository, forgeRepository } from '../forge/address.ts';
import { branchSwitched } from './own-branch.ts';
import { commitOf, currentBranch, isThere, requireNoOperation, uncommittedFiles } from './repository.ts';
import { askGit, type GitPlace, tryGit } from './run-git.ts';
import { skippedPushHooks } from './skipped-hooks.ts';

/** The commit to push for a pull request, and the pull request's title and text. */
export interface PushPlan {
  remote: string;
  address: string;
  repository: ForgeRepository;
  branch: string;
  base: string;
  commit: string;
  /** how many commits the base lacks, as far as this machine knows */
  commits: number;
  title: string;
  body: string;
  commonDir: string;
  objectFormat: string;
  /** the hooks of the repository that git itself would run for the same push, and that CBOS does not run */
  skippedHooks: string[];
}

/** The maximum number of commits that the text of a pull request lists. */
const MOST_LISTED_COMMITS = 100;

/**
 * Returns what a pull request for a worktree's branch would contain. Nothing is changed.
 * @param into the base, or null for the branch that the worktree started from
 * @throws CatalogueError worktree_gone, no_base, no_such_ref, no_commit, no_new_commits, no_remote,
 * uncommitted_changes, operation_in_progress, branch_switched, git_not_found, git_failed
 */
export async function planPush(given: GitPlace, worktree: Worktree, into: string | null): Promise<PushPlan> {
  const place = { ...given, cwd: worktree.path };
  if (!(await isThere(worktree.path))) throw new CatalogueError('worktree_gone');
  // The plan names the branch that will be pushed, which the session may have renamed.
  const branch = await currentBranch(place);
  const base = into ?? worktree.base;
  if (base === null || base === branch) throw new CatalogueError('no_base');
  await requireNoOperation(place);
  if (branch === null) throw await branchSwitched(place, worktree, null);
  const files = await uncommittedFiles(place);
  if (files.length > 0) throw new CatalogueError('uncommitted_changes', uncommittedText(files), { extra: { files } });
  const commit = await commitOf(place, 'HEAD');
  if (commit === null) throw new CatalogueError('no_commit', `${worktree.path} is on a branch that has no commits`);
  const { remote, address, repository } = await findRemote(place, base);
  const from =
    (await commitOf(place, `refs/remotes/${remote}/${base}`)) ?? (await commitOf(place, `refs/heads/${base}`));
  if (from === null) throw new CatalogueError('no_such_ref', `The repository has no branch ${JSON.stringify(base)}`);
  const commits = Number(await askGit(['rev-list', '--count', commit, `^${from}`, '--'], place));
  if (commits === 0) throw new CatalogueError('no_new_commits', `${branch} has no commits beyond ${base}`);
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--show-object-format'];
  const [commonDir = '', objectFormat = 'sha1'] = (await askGit(words, place)).split('\n');
  const messages = await readMessages(place, commit, from);
  return {
    ...{ remote, address, repository, branch, base, commit, commits, commonDir, objectFormat },
    ...requestWords(branch, messages),
    skippedHooks: await skippedPushHooks(place),
  };
}

/** Returns the remote of the base or, if it has none, `origin` or the only remote. @throws CatalogueError no_remote */
async function findRemote(place: GitPlace, base: string): Promise<Pick<PushPlan, 'remote' | 'address' | 'repository'>> {
  const names = (await askGit(['remote'], place)).split('\n').filter((name) => name !== '');
  const asked = await tryGit(['config', '--get', `branch.${base}.remote`], place);
  const ofBase = asked.stdout.toString('utf8').trim();
  const remote = [ofBase, 'origin'].find((name) => names.includes(name)) ?? (names.length === 1 ? names[0] : undefined);
  if (remote === undefined) {
    throw new CatalogueError('no_remote', names.length === 0 ? 'The repository has no remote' : undefined);
  }
  const address = await askGit(['remote', 'get-url', '--push', '--', remote], place);
  const repository = forgeRepository(address);
  if (repository !== null) return { remote, address, repository };
  throw new CatalogueError('no_remote', `The address of the remote ${remote} isn't the address of a forge`);
}

/** Returns the messages of the newest commits, without merges, oldest first. */
async function readMessages(place: GitPlace, commit: string, from: string): Promise<string[]> {
  const flags = ['--no-merges', `--max-count=${MOST_LISTED_COMMITS}`, '--format=%B%x00'];
  const printed = await askGit(['log', ...flags, commit, `^${from}`, '--'], place);
  return printed
    .split('\0')
    .map((message) => message.trim())
    .filter((message) => message !== '')
    .reverse();
}
