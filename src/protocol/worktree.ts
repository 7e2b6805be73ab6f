import { z } from 'zod';
import { Timestamp } from './words.ts';

/**
 * How a worktree may be brought to its end. `keep`: its branch stays as it is. `discard`: so does no branch that was
 * made for it. The others bring its commits to the base first.
 */
export const FINISH_WAYS = ['merge', 'rebase', 'squash', 'keep', 'discard'] as const;
export const FinishHow = z.enum(FINISH_WAYS);
export type FinishHow = z.infer<typeof FinishHow>;

/** A word for git, which takes no longer ones; its own rules for names are checked by git. */
export const GitName = z.string().min(1).max(1_000);
/** Longer than any path that Linux takes (PATH_MAX). */
const FolderPath = z.string().min(1).max(4_096);

/** Everything of a finished worktree, kept as one commit under `refs/cbos/saved`. */
export const SavedWork = z
  .object({
    id: z.string().meta({ description: 'SESSION/TIME-COMMIT' }),
    repository: z.string().meta({ description: 'The main checkout' }),
    ref: z.string(),
    commit: z.string(),
    session: z.string(),
    branch: z.string().meta({ description: 'The branch that was checked out; that of the worktree if none was' }),
    folder: z.string().meta({ description: 'Where the worktree was' }),
    head: z.string().nullable().meta({ description: 'The last commit of the worktree' }),
    into: z.string().nullable().meta({ description: 'The branch that got its commits; null if none did' }),
    uncommitted: z.int().meta({ description: 'How many of its files were in no commit, or changed since' }),
    also: z.array(z.string()).meta({
      description: 'Further commits that it keeps: stashes, and commits that no branch, tag or remote branch had',
    }),
    at: Timestamp,
  })
  .meta({ id: 'SavedWork' });
export type SavedWork = z.infer<typeof SavedWork>;

/** What became of a session's worktree. */
export const FinishedWorktree = z
  .object({
    how: FinishHow,
    into: z.string().nullable().meta({ description: 'The branch that got its commits; null if none did' }),
    commit: z.string().nullable().meta({ description: 'The commit that this branch came to' }),
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

/** The git worktree that was made for a session. */
export const Worktree = z
  .object({
    path: z.string().meta({ description: 'Its folder; the `path` of the session is there or below' }),
    repository: z.string().meta({ description: 'The main checkout' }),
    branch: z.string(),
    base: z.string().nullable().meta({ description: 'The branch that it started from' }),
    new_branch: z.boolean().default(false).meta({ description: 'Whether the branch was made with it' }),
    left_out: z.array(z.string()).meta({
      description: 'Files that `.worktreeinclude` names and that were not copied: links, or in the way of others',
    }),
    finished: FinishedWorktree.optional().meta({ description: 'What became of it, where it was finished: it is gone' }),
  })
  .meta({ id: 'Worktree' });
export type Worktree = z.infer<typeof Worktree>;

export const Finish = z
  .strictObject({
    how: FinishHow,
    into: GitName.optional().meta({
      description: 'The branch that gets the commits; left out: the one that the worktree started from',
    }),
    stop: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a session that runs, but has nothing to do, is stopped' }),
  })
  .meta({ id: 'Finish' });
export type Finish = z.infer<typeof Finish>;

export const FinishQuery = z.strictObject({
  into: GitName.optional().meta({ description: 'As in the request that finishes it' }),
});

/** What is in a worktree that is to be finished. */
export const FinishPreview = z
  .object({
    uncommitted: z.array(z.string()).meta({ description: 'Files that are in no commit, or changed since; saved' }),
    ignored: z.array(z.string()).meta({
      description: 'Files and folders that git ignores. Only those that `.worktreeinclude` names are saved',
    }),
    into: z.string().nullable().meta({ description: 'The branch that a merge would change; null if none is known' }),
    commits: z
      .int()
      .nullable()
      .meta({ description: 'How many of its commits that branch lacks; null if none is known' }),
    conflicts: z.array(z.string()).meta({ description: 'Files that would be in conflict, were it merged now' }),
  })
  .meta({ id: 'FinishPreview' });
export type FinishPreview = z.infer<typeof FinishPreview>;

export const SavedQuery = z.strictObject({
  path: FolderPath.optional().meta({ description: 'A folder of a repository to look in, beside those of sessions' }),
});

export const Recovery = z
  .strictObject({
    repository: FolderPath,
    id: z.string().min(1).max(200),
    branch: GitName.optional().meta({
      description: 'The branch for it: made, or taken if it is where it was. Left out: the one that it had',
    }),
    folder: FolderPath.nullable().optional().meta({
      description:
        'Where its worktree comes back; left out: where it was. null: only the branch, with what was in no commit as one more',
    }),
  })
  .meta({ id: 'Recovery' });
export type Recovery = z.infer<typeof Recovery>;

export const Recovered = z
  .object({
    branch: z.string(),
    commit: z.string().meta({ description: 'Where the branch is' }),
    folder: z.string().nullable(),
  })
  .meta({ id: 'Recovered' });
export type Recovered = z.infer<typeof Recovered>;
