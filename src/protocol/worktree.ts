import { z } from 'zod';
import { PullRequest } from './pull-request.ts';
import { Timestamp } from './words.ts';

/**
 * The ways to finish a worktree. `keep`: its branch is kept. `discard`: a branch that was created for it is deleted.
 * The others first move its commits to the base.
 */
export const FINISH_WAYS = ['merge', 'rebase', 'squash', 'keep', 'discard'] as const;
export const FinishHow = z.enum(FINISH_WAYS);
export type FinishHow = z.infer<typeof FinishHow>;

/** A name for git, up to the maximum length that git accepts. git itself checks its rules for names. */
export const GitName = z.string().min(1).max(1_000);
/** Longer than any path that Linux accepts (PATH_MAX). */
const FolderPath = z.string().min(1).max(4_096);

/** Everything from a finished worktree, saved as one commit under `refs/cbos/saved`. */
export const SavedWork = z
  .object({
    id: z.string().meta({ description: 'SESSION/TIME-COMMIT' }),
    repository: z.string().meta({ description: 'The main checkout' }),
    ref: z.string(),
    commit: z.string(),
    session: z.string(),
    branch: z.string().meta({ description: 'The branch that was checked out; the branch of the worktree if none was' }),
    folder: z.string().meta({ description: 'Where the worktree was' }),
    head: z.string().nullable().meta({ description: 'The last commit of the worktree' }),
    into: z.string().nullable().meta({ description: 'The branch that got its commits; null if none did' }),
    uncommitted: z.int().meta({ description: 'How many of its files were uncommitted' }),
    also: z.array(z.string()).meta({
      description: 'Other commits that it keeps: stashes, and commits on no branch, tag or remote branch',
    }),
    at: Timestamp,
  })
  .meta({ id: 'SavedWork' });
export type SavedWork = z.infer<typeof SavedWork>;

/** The outcome of finishing a session's worktree. */
export const FinishedWorktree = z
  .object({
    how: FinishHow,
    into: z.string().nullable().meta({ description: 'The branch that got its commits; null if none did' }),
    commit: z.string().nullable().meta({ description: 'The new last commit of this branch' }),
    saved: z.string().meta({ description: 'The id of what was saved of it' }),
    branch_kept: z.boolean().meta({ description: 'Whether its branch is still there' }),
    left: z
      .string()
      .nullable()
      .meta({ description: 'What could not be removed of its folder; null if nothing is left' }),
    at: Timestamp,
  })
  .meta({ id: 'FinishedWorktree' });
export type FinishedWorktree = z.infer<typeof FinishedWorktree>;

/** The git worktree that was created for a session. */
export const Worktree = z
  .object({
    path: z.string().meta({ description: 'Its folder, which contains the `path` of the session' }),
    repository: z.string().meta({ description: 'The main checkout' }),
    branch: z.string(),
    base: z.string().nullable().meta({ description: 'The branch that it started from' }),
    new_branch: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether CBOS created the branch together with the worktree' }),
    left_out: z.array(z.string()).meta({
      description:
        'Files that `.worktreeinclude` names but that were not copied: links, or files that conflict with others',
    }),
    pull_request: PullRequest.optional().meta({ description: 'The pull request of its branch, if CBOS opened one' }),
    finished: FinishedWorktree.optional().meta({
      description: 'How it was finished, if it was; the folder is then gone',
    }),
  })
  .meta({ id: 'Worktree' });
export type Worktree = z.infer<typeof Worktree>;

export const Finish = z
  .strictObject({
    how: FinishHow,
    into: GitName.optional().meta({
      description: 'The branch that gets the commits; default: the one that the worktree started from',
    }),
    stop: z.boolean().optional().meta({ description: 'Whether to stop the session if it runs but has nothing to do' }),
  })
  .meta({ id: 'Finish' });
export type Finish = z.infer<typeof Finish>;

export const FinishQuery = z.strictObject({
  into: GitName.optional().meta({ description: 'As in the request that finishes it' }),
});

/** The contents of a worktree that is about to be finished. */
export const FinishPreview = z
  .object({
    uncommitted: z.array(z.string()).meta({ description: 'Uncommitted files, which are saved' }),
    ignored: z.array(z.string()).meta({
      description: 'Files and folders that git ignores. Only those that `.worktreeinclude` names are saved',
    }),
    into: z.string().nullable().meta({ description: 'The branch that a merge would change; null if none is known' }),
    commits: z
      .int()
      .nullable()
      .meta({ description: 'How many of its commits that branch lacks; null if no such branch is known' }),
    conflicts: z.array(z.string()).meta({ description: 'Files that would conflict if it were merged now' }),
  })
  .meta({ id: 'FinishPreview' });
export type FinishPreview = z.infer<typeof FinishPreview>;

export const SavedQuery = z.strictObject({
  path: FolderPath.optional().meta({
    description: 'A folder of a repository to look in, besides the folders of sessions',
  }),
});

export const Recovery = z
  .strictObject({
    repository: FolderPath,
    id: z.string().min(1).max(200),
    branch: GitName.optional().meta({
      description: 'The branch for it: created, or used if it still has the same commit. Default: its former branch',
    }),
    folder: FolderPath.nullable().optional().meta({
      description:
        'Where to restore its worktree; default: its former place. null: restore only the branch, with the uncommitted changes as one more commit',
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
