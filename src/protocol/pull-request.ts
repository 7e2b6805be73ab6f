import { z } from 'zod';
import { Timestamp } from './words.ts';

/** GitHub's maximum lengths for the title and description of a pull request. */
const MOST_TITLE_CHARS = 256;
const MOST_BODY_CHARS = 60_000;

/** The forges on which CBOS can open pull requests. GitLab calls them merge requests. */
export const ForgeName = z.enum(['github', 'gitlab']);
export type ForgeName = z.infer<typeof ForgeName>;

/** A server or a stored session from before the support for GitLab does not name the forge. */
const OfForge = ForgeName.default('github').meta({
  description: 'The forge; on GitLab, the pull request is a merge request',
});

/** The combined result of the checks on a pull request's last commit. `none` means that there are no checks. */
export const PullRequestChecks = z.enum(['none', 'pending', 'passing', 'failing']);
export type PullRequestChecks = z.infer<typeof PullRequestChecks>;

/** The pull request for a session's branch. */
export const PullRequest = z
  .object({
    url: z.string(),
    number: z.int(),
    forge: OfForge,
    repository: z.string().meta({ description: 'HOST/OWNER/NAME; on GitLab, OWNER may contain subgroups' }),
    base: z.string().meta({ description: 'The branch to merge into' }),
    state: z.enum(['open', 'merged', 'closed']),
    checks: PullRequestChecks,
    checked_at: Timestamp.meta({ description: 'When the forge was last asked for the state of the pull request' }),
  })
  .meta({ id: 'PullRequest' });
export type PullRequest = z.infer<typeof PullRequest>;

/** The pull request that CBOS proposes for a session. Nothing is pushed until a client sends the proposal back. */
export const PullRequestPlan = z
  .object({
    forge: OfForge,
    repository: z.string().meta({ description: "HOST/OWNER/NAME, from the remote's address" }),
    remote: z.string().meta({ description: 'The remote that the branch is pushed to' }),
    branch: z.string(),
    base: z.string(),
    commit: z.string().meta({ description: 'The commit that is pushed' }),
    commits: z
      .int()
      .meta({ description: 'How many commits the branch has that the base lacks, as far as this machine knows' }),
    title: z.string(),
    body: z.string(),
    existing: PullRequest.nullable().meta({
      description:
        'The open pull request that the branch already has: the commits are pushed to it, and its description is not changed',
    }),
    skipped_hooks: z.array(z.string()).optional().meta({
      description:
        'The git hooks that exist and that git itself would run for the push. CBOS runs none of them. Older servers omit this field',
    }),
  })
  .meta({ id: 'PullRequestPlan' });
export type PullRequestPlan = z.infer<typeof PullRequestPlan>;

export const NewPullRequest = z
  .strictObject({
    repository: z.string().min(1).max(1_000).meta({ description: 'As in the plan' }),
    commit: z.string().min(1).max(100).meta({ description: 'As in the plan' }),
    into: z.string().min(1).max(1_000).optional().meta({
      description: 'The base; default: the branch that the worktree started from',
    }),
    title: z.string().trim().min(1).max(MOST_TITLE_CHARS),
    body: z.string().max(MOST_BODY_CHARS),
    draft: z.boolean().optional(),
    number: z.int().optional().meta({
      description:
        'The existing pull request that the plan named. If given, only the branch is pushed, and title and body are ignored',
    }),
  })
  .meta({ id: 'NewPullRequest' });
export type NewPullRequest = z.infer<typeof NewPullRequest>;

/** The sessions that the user currently sees. The server looks up the states of their pull requests. */
export const PullRequestLook = z
  .strictObject({
    sessions: z.array(z.string()).max(1_000).optional().meta({ description: 'Default: all of them' }),
  })
  .meta({ id: 'PullRequestLook' });
export type PullRequestLook = z.infer<typeof PullRequestLook>;
