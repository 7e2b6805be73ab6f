import { CatalogueError, type FinishHow, type FinishPreview, type Worktree } from '../../protocol/index.ts';
import { uncommittedText } from '../../text/worktree-words.ts';
import { advanceBranch, requireAdvanceable } from './advance-branch.ts';
import { requireNoLock } from './git-locks.ts';
import { findGone, goneError } from './gone-worktree.ts';
import { findConflicts, type MergeRequest, planMerge } from './merge-branch.ts';
import { requireOwnBranch } from './own-branch.ts';
import { deleteBranch, removeWorktree, requireRemovable, requireUnused } from './remove-worktree.ts';
import { commitOf, currentBranch, isThere, namesIn, requireNoOperation, uncommittedFiles } from './repository.ts';
import { askGit, type GitPlace, runGit } from './run-git.ts';
import { saveWork } from './save-work.ts';
import { listStates, type SavedState } from './saved-work.ts';
import { skippedHooks } from './skipped-hooks.ts';

const NO_HOOKS: FinishPreview['skipped_hooks'] = { merge: [], rebase: [], squash: [] };

export interface FinishPlan {
  /** the session that works in the worktree */
  session: string;
  worktree: Worktree;
  how: FinishHow;
  /** the branch that receives the commits, or null for the branch that the worktree started from */
  into: string | null;
  /**
   * when the worktree was created, in Unix milliseconds; anything that was saved earlier belongs to another worktree
   */
  since: number;
}

/** The steps of a finish that are left to the caller. */
export interface FinishSteps {
  now(): number;
  /** returns the processes that `stop` ends */
  ownProcesses(): Promise<ReadonlySet<number>>;
  /** ends everything that works in the worktree; called once nothing else prevents the finish */
  stop(): Promise<void>;
}

export interface Finished {
  saved: SavedState;
  /** the commit that the base now points to, or null if no branch received the commits */
  commit: string | null;
  /** whether the worktree's branch still exists */
  isBranchKept: boolean;
  /** the branches about which there is more to tell */
  more: { branch_missing?: true; other_branch?: string };
  /** the part of the worktree's folder that could not be removed, or null if nothing is left */
  left: string | null;
  /**
   * the hooks that git itself would have run for the merge, and that CBOS did not run; absent if this call merged
   * nothing
   */
  skippedHooks?: string[];
}

/**
 * Finishes a worktree: moves its commits to the base, saves everything else, and removes the folder and the branch that
 * was created for it. A finish that is not possible is refused before anything changes. If the server is killed during
 * a finish, calling this function again continues the work, because each step detects whether it has already been done.
 * @throws CatalogueError worktree_gone, worktree_locked, worktree_nested, worktree_submodules, worktree_in_use,
 * no_base, branch_switched, git_locked, uncommitted_changes, operation_in_progress, merge_conflict, checkout_dirty,
 * checkout_filtered, no_such_ref, no_identity, git_failed, disk_full, and everything that `stop` throws
 */
export async function finishWorktree(given: GitPlace, plan: FinishPlan, steps: FinishSteps): Promise<Finished> {
  const { worktree, session } = plan;
  const place = { ...given, cwd: worktree.repository };
  const inside = { ...given, cwd: worktree.path };
  if (!(await isThere(worktree.path))) {
    const saved = await requireSaved(place, plan);
    await steps.stop();
    return remove(place, plan, { saved, hadBranch: true });
  }
  await requireRecorded(given, plan);
  await requireRemovable(place, worktree.path);
  const request = await readMerge(inside, plan);
  if (request !== null) await requireAdvanceable(place, await planMerge(place, request));
  if (plan.how !== 'keep' && worktree.new_branch) {
    await requireNoLock(place, [`refs/heads/${worktree.branch}`, 'packed-refs']);
  }
  await requireUnused(worktree.path, await steps.ownProcesses());
  await steps.stop();
  await requireUnused(worktree.path, new Set());
  // The session may have continued to work until it was stopped.
  const last = await readMerge(inside, plan);
  const hooks = last === null ? null : await merge(place, last);
  const saved = await saveWork(inside, {
    session,
    branch: worktree.branch,
    root: worktree.repository,
    into: last?.base ?? null,
    now: steps.now(),
  });
  const hadBranch = (await commitOf(place, `refs/heads/${worktree.branch}`)) !== null;
  const removed = await remove(place, plan, { saved, hadBranch });
  return hooks === null ? removed : { ...removed, skippedHooks: hooks };
}

/** Merges, and returns the hooks that git itself would have run, or null if there was nothing to merge. */
async function merge(place: GitPlace, request: MergeRequest): Promise<string[] | null> {
  const plan = await planMerge(place, request);
  if (plan.from === plan.to) return null;
  const hooks = await skippedHooks(place, { ...request, from: plan.from });
  await advanceBranch(place, plan);
  return hooks[request.how];
}

/** Returns the state that was saved before the server was killed, if only the removal is left to do. */
async function requireSaved(place: GitPlace, plan: Pick<FinishPlan, Recorded | 'since'>): Promise<SavedState> {
  const { worktree, since } = plan;
  if (!(await isThere(worktree.repository))) {
    throw new CatalogueError('worktree_gone', `The repository ${worktree.repository} no longer exists`, {
      hint: 'Bring the folder of the repository back, then try again',
    });
  }
  const states = await listStates(place, worktree.repository);
  // Commit times are in whole seconds, so a difference of up to a second is allowed.
  const isOfIt = (one: SavedState): boolean => one.folder === worktree.path && Date.parse(one.at) >= since - 1_000;
  const saved = states.find(isOfIt);
  if (saved !== undefined) return saved;
  await requireRecorded(place, plan);
  throw new CatalogueError('worktree_gone');
}

type Recorded = 'session' | 'worktree';

/** @throws CatalogueError worktree_gone if the worktree was deleted by hand, with the command that brings it back */
export async function requireRecorded(
  { environment }: Pick<GitPlace, 'environment'>,
  { session, worktree }: Pick<FinishPlan, Recorded>,
): Promise<void> {
  const gone = await findGone(environment, worktree);
  if (gone !== null) throw goneError('worktree_gone', gone, session);
}

/** @param hadBranch whether the session's branch existed before; assumed if an earlier call may have deleted it */
async function remove(
  place: GitPlace,
  { worktree, how }: FinishPlan,
  { saved, hadBranch }: { saved: SavedState; hadBranch: boolean },
): Promise<Finished> {
  const left = await removeWorktree(place, worktree.path);
  const { branch } = worktree;
  // A worktree that was on another branch is restored on that one, so its session's branch has to stay.
  const goes = how !== 'keep' && worktree.new_branch && saved.branch === branch;
  const exists = async (name: string): Promise<boolean> => (await commitOf(place, `refs/heads/${name}`)) !== null;
  const isBranchKept = goes ? await deleteBranch(place, branch, saved.commit) : await exists(branch);
  const isOther = saved.branch !== branch && (await exists(saved.branch));
  const commit = saved.into === null ? null : await commitOf(place, `refs/heads/${saved.into}`);
  const more = {
    ...(isBranchKept || (goes && hadBranch) ? {} : { branch_missing: true as const }),
    ...(isOther ? { other_branch: saved.branch } : {}),
  };
  return { saved, commit, isBranchKept, more, left };
}

/**
 * @returns the planned merge, or null if there is nothing to merge
 * @throws CatalogueError no_base, no_commit, operation_in_progress, branch_switched, uncommitted_changes
 */
async function readMerge(inside: GitPlace, { session, how, into, worktree }: FinishPlan): Promise<MergeRequest | null> {
  if (how === 'keep' || how === 'discard') return null;
  const { branch } = worktree;
  const base = into ?? worktree.base;
  if (base === null || base === branch) {
    throw new CatalogueError('no_base', `CBOS does not know which branch to merge ${branch} into`);
  }
  await requireNoOperation(inside);
  await requireOwnBranch(inside, worktree);
  const files = await uncommittedFiles(inside);
  if (files.length > 0) {
    throw new CatalogueError('uncommitted_changes', uncommittedText(files), { extra: { files } });
  }
  const tip = await commitOf(inside, 'HEAD');
  if (tip === null) throw new CatalogueError('no_commit', `${inside.cwd} is on a branch that has no commits`);
  return { session, how, base, branch, tip, worktree: worktree.path };
}

/**
 * Returns what a worktree contains besides its commits, and what a merge would do.
 * @throws CatalogueError worktree_gone, git_failed
 */
export async function previewFinish(given: GitPlace, plan: Omit<FinishPlan, 'how'>): Promise<FinishPreview> {
  const { worktree } = plan;
  const inside = { ...given, cwd: worktree.path };
  if (!(await isThere(worktree.path))) {
    await requireSaved({ ...given, cwd: worktree.repository }, plan);
    return { uncommitted: [], ignored: [], into: null, commits: null, conflicts: [], skipped_hooks: NO_HOOKS };
  }
  await requireRecorded(given, plan);
  const flags = ['--others', '--ignored', '--exclude-standard', '--directory', '--no-empty-directory'];
  return {
    uncommitted: await uncommittedFiles(inside),
    ignored: namesIn(await runGit(['ls-files', '-z', ...flags], inside)),
    ...(await previewMerge(inside, plan)),
  };
}

async function previewMerge(
  inside: GitPlace,
  { worktree, into: asked }: Pick<FinishPlan, 'worktree' | 'into'>,
): Promise<Pick<FinishPreview, 'into' | 'commits' | 'conflicts' | 'skipped_hooks' | 'on'>> {
  // The commits of another branch would not be merged.
  const on = await currentBranch(inside);
  if (on !== worktree.branch) return { into: null, commits: null, conflicts: [], skipped_hooks: NO_HOOKS, on };
  const into = asked ?? worktree.base;
  const base = into === null ? null : await commitOf(inside, `refs/heads/${into}`);
  const tip = await commitOf(inside, 'HEAD');
  if (into === null || base === null || tip === null) {
    return { into: null, commits: null, conflicts: [], skipped_hooks: NO_HOOKS };
  }
  const commits = Number(await askGit(['rev-list', '--count', tip, `^${base}`, '--'], inside));
  if (commits === 0) return { into, commits, conflicts: [], skipped_hooks: NO_HOOKS };
  const place = { ...inside, cwd: worktree.repository };
  return {
    ...{ into, commits, conflicts: await findConflicts(inside, base, tip) },
    skipped_hooks: await skippedHooks(place, { base: into, from: base, tip, worktree: worktree.path }),
  };
}
