import { z } from 'zod';
import { PullRequest } from './pull-request.ts';
import { SetUp } from './set-up.ts';
import { PathText, Timestamp } from './words.ts';

/**
 * The ways to finish a worktree. `keep` keeps its branch. `discard` deletes the branch if it was created for the
 * worktree. The other ways first move the worktree's commits to the base.
 */
export const FINISH_WAYS = ['merge', 'rebase', 'squash', 'keep', 'discard'] as const;
export const FinishHow = z.enum(FINISH_WAYS);
export type FinishHow = z.infer<typeof FinishHow>;

/**
 * The name of a branch or a commit, up to the maximum length that git accepts. git itself checks whether the name is
 * valid.
 */
export const GitName = z.string().min(1).max(1_000);
/** Everything that was in a finished worktree, saved as one commit under `refs/cbos/saved`. */
export const SavedWork = z
  .object({
    id: z.string().meta({ description: 'SESSION/TIME-COMMIT' }),
    repository: z.string().meta({ description: 'The main checkout' }),
    ref: z.string(),
    commit: z.string(),
    session: z.string(),
    branch: z
      .string()
      .meta({ description: "The branch that was checked out, or the worktree's own branch if none was" }),
    folder: z.string().meta({ description: 'The former path of the worktree' }),
    head: z.string().nullable().meta({ description: 'The last commit in the worktree' }),
    into: z
      .string()
      .nullable()
      .meta({ description: 'The branch that the commits were merged into; null if there is none' }),
    uncommitted: z.int().meta({ description: 'How many files were uncommitted' }),
    also: z.array(z.string()).meta({
      description: 'Other commits that were saved: stashes, and commits on no branch, tag or remote branch',
    }),
    at: Timestamp,
  })
  .meta({ id: 'SavedWork' });
export type SavedWork = z.infer<typeof SavedWork>;

/** The outcome of finishing a session's worktree. */
export const FinishedWorktree = z
  .object({
    how: FinishHow,
    into: z
      .string()
      .nullable()
      .meta({ description: 'The branch that the commits were merged into; null if there is none' }),
    commit: z.string().nullable().meta({ description: 'The new last commit of this branch' }),
    saved: z.string().meta({ description: 'The id of what was saved from the worktree' }),
    branch_kept: z.boolean().meta({ description: 'Whether the branch still exists' }),
    branch_missing: z.literal(true).optional().meta({
      description: 'true: the branch did not exist any more before the worktree was finished; it may have been renamed',
    }),
    other_branch: z.string().optional().meta({
      description: 'The branch that was checked out in the worktree, if it was another one; it still exists',
    }),
    left: z
      .string()
      .nullable()
      .meta({ description: 'What could not be removed from the folder; null if nothing is left' }),
    skipped_hooks: z.array(z.string()).optional().meta({
      description:
        'The git hooks that exist and that git itself would have run for the merge. CBOS did not run them. Absent if the request merged nothing',
    }),
    at: Timestamp,
  })
  .meta({ id: 'FinishedWorktree' });
export type FinishedWorktree = z.infer<typeof FinishedWorktree>;

/** The git worktree of a session. It was either created for the session or already existed and was assigned to it. */
export const Worktree = z
  .object({
    path: z.string().meta({ description: "The folder of the worktree, which contains the session's `path`" }),
    repository: z.string().meta({ description: 'The main checkout' }),
    branch: z.string(),
    base: z.string().nullable().meta({ description: 'The branch that the worktree started from' }),
    new_branch: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether CBOS created the branch together with the worktree' }),
    left_out: z.array(z.string()).meta({
      description:
        'Files that `.worktreeinclude` names but that were not copied, because they are links or conflict with other files',
    }),
    existing: z.boolean().optional().meta({ description: 'true: it existed before the session' }),
    port: z.int().optional().meta({
      description: 'The port that is reserved for it, for as long as the session exists: CBOS_WORKTREE_PORT',
    }),
    set_up: SetUp.optional().meta({ description: 'The command that prepares it; absent if there is none' }),
    pull_request: PullRequest.optional().meta({ description: "The branch's pull request, if CBOS opened one" }),
    finished: FinishedWorktree.optional().meta({
      description: 'How the worktree was finished, if it was; its folder is then gone',
    }),
  })
  .meta({ id: 'Worktree' });
export type Worktree = z.infer<typeof Worktree>;

export const Finish = z
  .strictObject({
    how: FinishHow,
    into: GitName.optional().meta({
      description: 'The branch to merge the commits into; default: the one that the worktree started from',
    }),
    stop: z
      .boolean()
      .optional()
      .meta({ description: 'Whether to stop the session if it is running but has nothing to do' }),
  })
  .meta({ id: 'Finish' });
export type Finish = z.infer<typeof Finish>;

export const FinishQuery = z.strictObject({
  into: GitName.optional().meta({ description: 'As in the request that finishes the worktree' }),
});

const HookNames = z.array(z.string());
const SkippedHooks = z.object({ merge: HookNames, rebase: HookNames, squash: HookNames }).meta({
  description: 'The git hooks that exist and that git itself would run. CBOS runs none of them',
});

/** The contents of a worktree that is about to be finished. */
export const FinishPreview = z
  .object({
    uncommitted: z.array(z.string()).meta({ description: 'Uncommitted files, which will be saved' }),
    ignored: z.array(z.string()).meta({
      description: 'Files and folders that git ignores. Only those that `.worktreeinclude` names will be saved',
    }),
    into: z.string().nullable().meta({ description: 'The branch that a merge would change; null if none is known' }),
    commits: z
      .int()
      .nullable()
      .meta({ description: "How many of the worktree's commits that branch lacks; null if no such branch is known" }),
    conflicts: z.array(z.string()).meta({ description: 'Files that would conflict if the branch were merged now' }),
    skipped_hooks: SkippedHooks,
    on: z.string().nullable().optional().meta({
      description:
        "What is checked out instead of the session's branch: another branch, or null for none. A merge is refused then. Absent if it is the session's branch",
    }),
  })
  .meta({ id: 'FinishPreview' });
export type FinishPreview = z.infer<typeof FinishPreview>;

export const SavedQuery = z.strictObject({
  path: PathText.optional().meta({
    description: 'A folder whose repository is also searched, besides the folders of sessions',
  }),
});

export const Recovery = z
  .strictObject({
    repository: PathText,
    id: z.string().min(1).max(200),
    branch: GitName.optional().meta({
      description:
        'The branch to restore it on: created, or reused if it still has the same commit. Default: the former branch',
    }),
    folder: PathText.nullable().optional().meta({
      description:
        'Where to restore the worktree; default: its former path. null to restore only the branch, with the uncommitted changes as one more commit',
    }),
  })
  .meta({ id: 'Recovery' });
export type Recovery = z.infer<typeof Recovery>;

export const Recovered = z
  .object({
    branch: z.string(),
    commit: z.string().meta({ description: 'The commit of the branch' }),
    folder: z.string().nullable(),
  })
  .meta({ id: 'Recovered' });
export type Recovered = z.infer<typeof Recovered>;
