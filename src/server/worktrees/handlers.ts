import type { Session } from '../../protocol/index.ts';
import type { PULL_REQUEST_ROUTES } from '../../protocol/pull-request-routes.ts';
import type { WORKTREE_ROUTES } from '../../protocol/worktree-routes.ts';
import type { Handlers } from '../handlers.ts';
import type { Sessions } from '../sessions.ts';
import type { PullRequests } from './pull-requests.ts';
import type { Worktrees } from './worktrees.ts';

type WorktreeHandlers = Pick<Handlers, keyof typeof WORKTREE_ROUTES | keyof typeof PULL_REQUEST_ROUTES>;

/**
 * Creates the handlers that fork sessions, finish worktrees, recover saved worktrees, and open pull requests for the
 * branches of worktrees.
 */
export function createWorktreeHandlers(options: {
  sessions: Sessions;
  worktrees: Worktrees;
  pullRequests: PullRequests;
}): WorktreeHandlers {
  const { sessions, worktrees, pullRequests } = options;
  const all = (): Session[] => [...sessions.list(), ...sessions.archived()];
  return {
    forkSession: ({ params, body }) => sessions.fork(params.slug, body),
    previewFinish: ({ params, query }) => worktrees.preview(sessions.get(params.slug), query.into ?? null),
    finishSession: ({ params, body }) => sessions.finish(params.slug, body),
    planPullRequest: ({ params, query }) => pullRequests.plan(params.slug, query.into ?? null),
    openPullRequest: ({ params, body }) => pullRequests.open(params.slug, body),
    lookAtPullRequests: ({ body }) => ({ asked: pullRequests.look(body.sessions ?? null) }),
    listWorktrees: ({ query }) => worktrees.list(all(), query.path ?? null),
    trustSetUp: ({ body }) => worktrees.trust(body),
    untrustSetUp: ({ body }) => worktrees.untrust(all(), body.path),
    skipSetUp: ({ params }) => sessions.skipSetUp(params.slug),
    listSaved: ({ query }) => worktrees.saved(all(), query.path ?? null),
    recover: ({ body }) => worktrees.recover(body),
  };
}
