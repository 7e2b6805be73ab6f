import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { AFTER_FAILURE } from './names.ts';
import { PathText, Timestamp } from './words.ts';

const AfterFailure = z.enum(AFTER_FAILURE);

export const SetUpState = z.enum(['pending', 'running', 'done', 'failed', 'untrusted', 'skipped']);
export type SetUpState = z.infer<typeof SetUpState>;

/** The command that prepares a session's worktree before Claude Code starts in it. */
export const SetUp = z
  .object({
    command: z.string().meta({ description: 'The command that /bin/sh runs in the folder of the worktree' }),
    from: z.enum(['settings', 'project']).meta({
      description:
        "Where the command is defined: in `[[repositories]]` in config.toml, or in the repository's `.cbos/worktree.toml`",
    }),
    state: SetUpState.meta({
      description:
        '`pending`: it runs at the next start; `running`; `done`; `failed`; `untrusted`: nobody has trusted the file that defines it, so it does not run; `skipped`: a person decided to start without it',
    }),
    exit_code: z.int().nullable().meta({
      description: 'The exit code of a command that failed; null otherwise, and if a signal ended the command',
    }),
    after_failure: AfterFailure.meta({
      description: '`stop`: Claude Code does not start if the command fails; `start`: Claude Code starts anyway',
    }),
    at: Timestamp.meta({ description: 'When the set-up entered this state' }),
  })
  .meta({ id: 'SetUp' });
export type SetUp = z.infer<typeof SetUp>;

/** Reports whether this set-up must have run before Claude Code may start. */
export function isSetUpDue({ state, after_failure }: Pick<SetUp, 'state' | 'after_failure'>): boolean {
  if (state === 'failed') return after_failure === 'stop';
  return state === 'pending' || state === 'running' || state === 'untrusted';
}

/**
 * Reports whether the user can skip a set-up. This is possible if Claude Code cannot start without the set-up and the
 * set-up is not running now.
 * @param session.isDead whether none of the session's processes is left, which means that its set-up cannot be running
 */
export function maySkipSetUp(setUp: Pick<SetUp, 'state' | 'after_failure'>, { isDead }: { isDead: boolean }): boolean {
  return isSetUpDue(setUp) && (setUp.state !== 'running' || isDead);
}

/** Reports whether the set-up of a session's worktree must still run, so that the user can run or skip it. */
export function isSetUpOpen({ worktree, status }: SetUpSession): boolean {
  const setUp = worktree?.set_up;
  return setUp !== undefined && maySkipSetUp(setUp, { isDead: status.primary === 'dead' });
}

interface SetUpSession {
  worktree?: { set_up?: Pick<SetUp, 'state' | 'after_failure'> | undefined } | undefined;
  status: { primary: string | null };
}

/** The file `.cbos/worktree.toml`, in which a repository configures its worktrees. */
export const ProjectSetUp = z
  .object({
    path: z.string(),
    state: z.enum(['trusted', 'untrusted', 'changed', 'broken']).meta({
      description: '`changed`: the file is no longer the version that was trusted; CBOS uses only a trusted version',
    }),
    error: z.string().nullable().meta({ description: 'What is wrong with the file' }),
    command: z.string().nullable(),
    after_failure: AfterFailure.nullable(),
    content: z.string().nullable(),
    sha256: z.string().nullable(),
  })
  .meta({ id: 'ProjectSetUp' });
export type ProjectSetUp = z.infer<typeof ProjectSetUp>;

/**
 * Reports whether a user may trust this version of a repository's own file. The file must be readable and name a
 * command.
 */
export function mayTrustSetUp({ state, command, content, sha256 }: ProjectSetUp): boolean {
  const isNew = state === 'untrusted' || state === 'changed';
  return isNew && command !== null && content !== null && sha256 !== null;
}

export const SetUpTrust = z
  .strictObject({
    path: PathText.meta({ description: 'A folder of the repository' }),
    sha256: z.string().length(64).meta({ description: 'The SHA-256 hash of the file as it was read' }),
  })
  .meta({ id: 'SetUpTrust' });
export type SetUpTrust = z.infer<typeof SetUpTrust>;

export const SetUpUntrust = z.strictObject({ path: PathText });

/** A worktree of a repository, no matter who created it. */
export const RepositoryWorktree = z
  .object({
    path: z.string(),
    branch: z.string().nullable().meta({ description: 'null if no branch is checked out' }),
    main: z.boolean().meta({ description: 'Whether it is the main checkout' }),
    locked: z.boolean(),
    gone: z.boolean().meta({
      description:
        'Whether its folder, or the `.git` file in it, no longer exists; `git worktree prune` removes the entry',
    }),
    sessions: z.array(z.string()).meta({ description: 'The sessions that work in it, even if they are stopped' }),
    free: z.boolean().meta({
      description:
        'Whether a new session can use it: it has a branch, it is not the main checkout, and no session uses it',
    }),
  })
  .meta({ id: 'RepositoryWorktree' });
export type RepositoryWorktree = z.infer<typeof RepositoryWorktree>;

export const RepositoryWorktrees = z
  .object({
    repository: z.string().meta({ description: 'The main checkout' }),
    set_up: ProjectSetUp.nullable().meta({
      description: 'The `.cbos/worktree.toml` of the repository; null if the repository has none',
    }),
    own: z
      .object({ command: z.string(), after_failure: AfterFailure.nullable() })
      .nullable()
      .meta({ description: 'The set-up in config.toml, which takes precedence; null if there is none' }),
    worktrees: z.array(RepositoryWorktree),
    error: ErrorBody.optional().meta({
      description: 'Why git cannot read this repository; `worktrees` is empty then. Absent if git can read it',
    }),
  })
  .meta({ id: 'RepositoryWorktrees' });
export type RepositoryWorktrees = z.infer<typeof RepositoryWorktrees>;

export const WorktreesQuery = z.strictObject({
  path: PathText.optional().meta({
    description: 'Only the repository of this folder; default: the repositories of all sessions',
  }),
});
