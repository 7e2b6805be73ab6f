import { z } from 'zod';
import { Adoption, NewSession, SessionPatch } from './requests.ts';
import { SessionResources } from './resources.ts';
import { NewRestoration, Restoration } from './restore.ts';
import type { RouteRow } from './route.ts';
import { RestartedSession, Session, StatusCounts } from './session.ts';
import { StateSelectorWord } from './state-selector-word.ts';

/** Why a session that was launched before may not be launched again. */
const CONTINUES = [
  'session_in_use',
  'worktree_in_use',
  'no_such_conversation',
  'no_such_path',
  'claude_not_found',
  'screen_not_found',
  'launch_failed',
] as const;

/** The part of the REST interface that lists, creates, changes, and ends sessions. */
export const SESSION_ROUTES = {
  listSessions: {
    method: 'get',
    path: '/sessions',
    who: 'session',
    right: 'see',
    summary: 'All sessions, or those in a state, with tags, or in a repository',
    query: z.strictObject({
      state: StateSelectorWord.optional(),
      tag: z.string().max(1_000).optional().meta({
        description:
          'Only sessions with this tag; with several tags, separated by commas, only sessions with all of them',
      }),
      repo: z.string().max(4_096).optional().meta({
        description: 'Only sessions in the repository with this name, or in the one that contains this absolute path',
      }),
      archived: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: 'true to list the archived sessions instead' }),
    }),
    response: z.array(Session),
  },
  countSessions: {
    method: 'get',
    path: '/sessions/status',
    who: 'session',
    summary: 'How many sessions are in each state',
    response: StatusCounts,
  },
  waitingSessions: {
    method: 'get',
    path: '/sessions/waiting',
    who: 'session',
    summary: 'The sessions that are waiting for the user, the longest wait first',
    response: z.array(Session),
  },
  createSession: {
    method: 'post',
    path: '/sessions',
    who: 'person',
    right: 'launch',
    summary: 'Launch a session',
    body: NewSession,
    success: 201,
    response: Session,
    errors: [
      'slug_taken',
      'invalid_slug',
      'no_such_path',
      'path_too_long',
      'claude_not_found',
      'screen_not_found',
      'launch_failed',
      'not_a_repository',
      'no_commit',
      'invalid_branch',
      'no_such_ref',
      'branch_exists',
      'branch_in_use',
      'worktree_in_use',
      'no_such_worktree',
      'no_free_port',
      'worktree_exists',
      'worktree_place',
      'invalid_setting',
      'git_not_found',
      'git_failed',
      'missing_objects',
    ],
  },
  adoptSession: {
    method: 'post',
    path: '/sessions/adopt',
    who: 'person',
    summary: 'Take over a Screen session that another program started or, with `resume`, a conversation',
    body: Adoption,
    success: 201,
    response: Session,
    errors: [
      'no_such_conversation',
      'session_in_use',
      'claude_not_found',
      'launch_failed',
      'no_such_screen',
      'already_adopted',
      'other_home',
      'invalid_slug',
      'slug_taken',
      'no_such_path',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  getSession: {
    method: 'get',
    path: '/sessions/{slug}',
    who: 'session',
    right: 'see',
    summary: 'One session',
    response: Session,
    errors: ['no_such_session'],
  },
  patchSession: {
    method: 'patch',
    path: '/sessions/{slug}',
    who: 'person',
    summary: 'Rename a session, or set its path',
    body: SessionPatch,
    response: Session,
    errors: [
      'no_such_session',
      'invalid_slug',
      'slug_taken',
      'no_such_path',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  deleteSession: {
    method: 'delete',
    path: '/sessions/{slug}',
    who: 'person',
    summary: 'Delete a session; a running one is stopped first, with its whole process tree',
    response: z.object({ status: z.literal('deleted') }),
    errors: ['no_such_session', 'kill_failed'],
  },
  killSession: {
    method: 'post',
    path: '/sessions/{slug}/kill',
    who: 'person',
    right: 'end',
    summary: 'Stop a session with its whole process tree, and keep it listed',
    response: Session,
    errors: ['no_such_session', 'session_dead', 'kill_failed'],
  },
  setPath: {
    method: 'put',
    path: '/sessions/{slug}/path',
    who: 'person',
    summary: "Set a session's path",
    body: z.strictObject({ path: z.string().min(1) }),
    response: Session,
    errors: ['no_such_session', 'no_such_path'],
  },
  restartSession: {
    method: 'post',
    path: '/sessions/{slug}/restart',
    who: 'person',
    right: 'launch',
    summary: 'Restart a stopped session and continue its conversation, or begin a new one',
    query: z.strictObject({
      new_conversation: z.enum(['true', 'false']).optional(),
      same_folder: z.enum(['true', 'false']).optional().meta({
        description: 'true: restart it although another session works in its worktree',
      }),
      start_folder: z.enum(['true', 'false']).optional().meta({
        description: 'true: restart it in its own folder if the worktree in which it last worked no longer exists',
      }),
    }),
    response: RestartedSession,
    errors: ['no_such_session', 'session_alive', 'already_running', ...CONTINUES],
  },
  parkSession: {
    method: 'post',
    path: '/sessions/{slug}/park',
    who: 'person',
    summary: 'End the process of an idle session in a terminal, and keep its conversation for the next prompt',
    response: Session,
    errors: ['no_such_session', 'not_parkable', 'no_terminal', 'not_adopted', 'session_dead', 'kill_failed'],
  },
  wakeSession: {
    method: 'post',
    path: '/sessions/{slug}/wake',
    who: 'person',
    right: 'launch',
    summary: "Wake a parked session, with its conversation; a session that isn't parked stays as it is",
    response: Session,
    errors: ['no_such_session', 'session_dead', ...CONTINUES],
  },
} as const satisfies Record<string, RouteRow>;

/** The part of the REST interface that shows what sessions use, and brings lost sessions back. */
export const RESTORE_ROUTES = {
  resources: {
    method: 'get',
    path: '/resources',
    who: 'session',
    summary: 'The current memory and processor time of each session',
    response: z.array(SessionResources),
  },
  restore: {
    method: 'post',
    path: '/restore',
    who: 'person',
    summary:
      'Bring back lost sessions with their conversations, a few at a time; responds immediately, and `GET /restore` shows the progress',
    body: NewRestoration,
    response: Restoration,
    errors: ['no_such_session'],
  },
  restoration: {
    method: 'get',
    path: '/restore',
    who: 'session',
    summary: "The running restoration, or this server's last one",
    response: Restoration,
  },
} as const satisfies Record<string, RouteRow>;
