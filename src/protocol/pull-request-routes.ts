import { z } from 'zod';
import { NewPullRequest, PullRequestLook, PullRequestPlan } from './pull-request.ts';
import type { RouteRow } from './route.ts';
import { Session } from './session.ts';
import { GitName } from './worktree.ts';

const PullRequestQuery = z.strictObject({
  into: GitName.optional().meta({ description: 'As in the request that opens the pull request' }),
});

const PullRequestsAsked = z
  .object({
    asked: z
      .array(z.string())
      .meta({ description: 'The sessions for whose pull requests the server now queries the forge' }),
  })
  .meta({ id: 'PullRequestsAsked' });

const ERRORS = [
  'no_such_session',
  'no_worktree',
  'worktree_gone',
  'no_base',
  'no_such_ref',
  'no_commit',
  'no_new_commits',
  'uncommitted_changes',
  'operation_in_progress',
  'branch_switched',
  'no_remote',
  'gh_not_found',
  'gh_not_logged_in',
  'gh_failed',
  'glab_not_found',
  'glab_not_logged_in',
  'glab_failed',
  'git_not_found',
  'git_failed',
  'missing_objects',
] as const;

/** The part of the REST interface for the pull request of a session's branch. It uses the user's own `gh` or `glab`. */
export const PULL_REQUEST_ROUTES = {
  planPullRequest: {
    method: 'get',
    path: '/sessions/{slug}/pull-request',
    who: 'session',
    summary:
      "The pull request that would be opened for a session's branch: its repository, branches, title and description; nothing is pushed",
    query: PullRequestQuery,
    response: PullRequestPlan,
    errors: ERRORS,
  },
  openPullRequest: {
    method: 'post',
    path: '/sessions/{slug}/pull-request',
    who: 'person',
    summary:
      "Push a session's branch, and open a pull request with the title and description of the plan; the worktree stays. Refused if the branch or the remote has changed since the plan",
    body: NewPullRequest,
    response: Session,
    errors: [...ERRORS, 'pull_request_changed', 'pull_request_exists', 'push_refused', 'disk_full'],
  },
  lookAtPullRequests: {
    method: 'post',
    path: '/pull-requests/look',
    who: 'person',
    summary:
      'Report which sessions a person sees. The server queries the state of their open pull requests, each at most every two minutes, and reports changes as session changes',
    body: PullRequestLook,
    response: PullRequestsAsked,
  },
} as const satisfies Record<string, RouteRow>;
