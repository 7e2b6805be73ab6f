import { z } from 'zod';
import { type Route, SlugParam } from './route.ts';
import { Session } from './session.ts';
import { Finish, FinishPreview, FinishQuery, Recovered, Recovery, SavedQuery, SavedWork } from './worktree.ts';

/** The part of the REST interface for finishing and recovering worktrees. */
export const WORKTREE_ROUTES = {
  previewFinish: {
    method: 'get',
    path: '/sessions/{slug}/finish',
    summary:
      "The contents of a session's worktree besides its commits: what finishing it would save, what git ignores, and what a merge would do",
    params: SlugParam,
    query: FinishQuery,
    success: 200,
    response: FinishPreview,
    errors: ['no_such_session', 'no_worktree', 'worktree_gone', 'git_not_found', 'git_failed'],
  },
  finishSession: {
    method: 'post',
    path: '/sessions/{slug}/finish',
    summary:
      "Finish a session's worktree: bring its commits to the base, save everything else, and remove it. If that is impossible, the request is refused and nothing changes",
    params: SlugParam,
    body: Finish,
    success: 200,
    response: Session,
    errors: [
      'no_such_session',
      'no_worktree',
      'worktree_gone',
      'worktree_locked',
      'worktree_in_use',
      'worktree_submodules',
      'worktree_nested',
      'no_base',
      'no_such_ref',
      'no_commit',
      'uncommitted_changes',
      'operation_in_progress',
      'merge_conflict',
      'checkout_dirty',
      'checkout_filtered',
      'no_identity',
      'session_alive',
      'already_running',
      'kill_failed',
      'git_not_found',
      'git_failed',
      'disk_full',
    ],
  },
  listSaved: {
    method: 'get',
    path: '/saved',
    summary: 'What was saved of finished worktrees, newest first: in the repositories of all sessions and of a folder',
    query: SavedQuery,
    success: 200,
    response: z.array(SavedWork),
    errors: ['git_not_found', 'git_failed'],
  },
  recover: {
    method: 'post',
    path: '/saved/recover',
    summary: 'Restore what was saved of a worktree: as a worktree, byte for byte, or as a branch',
    body: Recovery,
    success: 200,
    response: Recovered,
    errors: [
      'no_such_save',
      'not_a_repository',
      'no_commit',
      'invalid_branch',
      'branch_exists',
      'branch_in_use',
      'worktree_exists',
      'worktree_place',
      'git_not_found',
      'git_failed',
      'disk_full',
    ],
  },
} as const satisfies Record<string, Route>;
