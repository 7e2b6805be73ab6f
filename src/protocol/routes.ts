import { z } from 'zod';
import { Delivery } from './delivery.ts';
import { Explanation } from './explanation.ts';
import { DaysQuery, SessionDay } from './history.ts';
import { JSON_ROUTES } from './json-routes.ts';
import { PAGE_ROUTES } from './page-routes.ts';
import { RECORDING_ROUTES } from './recording-routes.ts';
import {
  Adoption,
  Answer,
  Broadcast,
  BroadcastResult,
  NewSession,
  NewStashedResponse,
  Send,
  SessionPatch,
  Text,
} from './requests.ts';
import { type Route, SlugParam } from './route.ts';
import { SearchQuery, SearchResult } from './search.ts';
import { ServerHealth, Session, StatusChange, StatusCounts } from './session.ts';
import { StashedResponse } from './stash.ts';
import { StateSelectorWord } from './state-selector.ts';
import { Columns, Rows, Timestamp } from './words.ts';

const StashParam = z.object({ id: z.string() });
const DeliveryParams = z.object({ slug: z.string(), id: z.string() });

/** Longer than any path that Linux takes (PATH_MAX). */
const MAX_PATH = 4096;

export const FoldersQuery = z.strictObject({ path: z.string().max(MAX_PATH).optional() });

export const Folders = z
  .object({ folders: z.array(z.string()).meta({ description: 'absolute paths, sorted, 50 at most' }) })
  .meta({ id: 'Folders' });

/**
 * The REST interface: one entry per request. The server validates with it, the OpenAPI description is generated from it,
 * and the client takes its types from it. `unauthorized`, `inside_session`, `forbidden_host`, `forbidden_origin`, `invalid_request` and `internal` can
 * happen everywhere and are not repeated.
 */
export const ROUTES = {
  health: {
    method: 'get',
    path: '/health',
    summary: 'Whether the server runs',
    success: 200,
    response: ServerHealth,
    errors: [],
    open: true,
  },
  ...PAGE_ROUTES,
  listSessions: {
    method: 'get',
    path: '/sessions',
    summary: 'All sessions, or those in a state',
    query: z.strictObject({ state: StateSelectorWord.optional() }),
    success: 200,
    response: z.array(Session),
    errors: [],
  },
  countSessions: {
    method: 'get',
    path: '/sessions/status',
    summary: 'How many sessions are in each state',
    success: 200,
    response: StatusCounts,
    errors: [],
  },
  waitingSessions: {
    method: 'get',
    path: '/sessions/waiting',
    summary: 'Sessions that wait for the user, longest first',
    success: 200,
    response: z.array(Session),
    errors: [],
  },
  createSession: {
    method: 'post',
    path: '/sessions',
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
    ],
  },
  adoptSession: {
    method: 'post',
    path: '/sessions/adopt',
    summary: 'Take over a Screen session, or with `resume` a conversation, that something else started',
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
    summary: 'One session',
    params: SlugParam,
    success: 200,
    response: Session,
    errors: ['no_such_session'],
  },
  patchSession: {
    method: 'patch',
    path: '/sessions/{slug}',
    summary: 'Rename a session or set its path',
    params: SlugParam,
    body: SessionPatch,
    success: 200,
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
    summary: 'Delete a session; one that runs is stopped first, with its whole process tree',
    params: SlugParam,
    success: 200,
    response: z.object({ status: z.literal('deleted') }),
    errors: ['no_such_session', 'kill_failed'],
  },
  killSession: {
    method: 'post',
    path: '/sessions/{slug}/kill',
    summary: 'Stop a session with its whole process tree, and keep it listed',
    params: SlugParam,
    success: 200,
    response: Session,
    errors: ['no_such_session', 'session_dead', 'kill_failed'],
  },
  setPath: {
    method: 'put',
    path: '/sessions/{slug}/path',
    summary: 'Set the path of a session',
    params: SlugParam,
    body: z.strictObject({ path: z.string().min(1) }),
    success: 200,
    response: Session,
    errors: ['no_such_session', 'no_such_path'],
  },
  restartSession: {
    method: 'post',
    path: '/sessions/{slug}/restart',
    summary: 'Start a stopped session again on its conversation',
    params: SlugParam,
    success: 200,
    response: Session,
    errors: [
      'no_such_session',
      'session_alive',
      'no_such_path',
      'claude_not_found',
      'screen_not_found',
      'launch_failed',
    ],
  },
  send: {
    method: 'post',
    path: '/sessions/{slug}/send',
    summary: 'Send a prompt',
    params: SlugParam,
    body: Send,
    success: 200,
    response: Delivery,
    errors: [
      'no_such_session',
      'not_accepting_text',
      'not_adopted',
      'command_prefix',
      'idempotency_conflict',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  answer: {
    method: 'post',
    path: '/sessions/{slug}/answer',
    summary: 'Answer the open question',
    params: SlugParam,
    body: Answer,
    success: 200,
    response: z.object({ status: z.literal('answered') }),
    errors: [
      'no_such_session',
      'no_question',
      'stale_question',
      'no_such_option',
      'not_adopted',
      'not_confirmed',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  listDeliveries: {
    method: 'get',
    path: '/sessions/{slug}/deliveries',
    summary: 'Texts on their way, newest first',
    params: SlugParam,
    success: 200,
    response: z.array(Delivery),
    errors: ['no_such_session'],
  },
  getDelivery: {
    method: 'get',
    path: '/sessions/{slug}/deliveries/{id}',
    summary: 'One delivery',
    params: DeliveryParams,
    success: 200,
    response: Delivery,
    errors: ['no_such_session', 'no_such_delivery'],
  },
  patchDelivery: {
    method: 'patch',
    path: '/sessions/{slug}/deliveries/{id}',
    summary: 'Change a text that is still queued',
    params: DeliveryParams,
    body: z.strictObject({ text: Text }),
    success: 200,
    response: Delivery,
    errors: ['no_such_session', 'no_such_delivery', 'delivery_final', 'command_prefix'],
  },
  cancelDelivery: {
    method: 'delete',
    path: '/sessions/{slug}/deliveries/{id}',
    summary: 'Cancel a text that is still queued',
    params: DeliveryParams,
    success: 200,
    response: Delivery,
    errors: ['no_such_session', 'no_such_delivery', 'delivery_final'],
  },
  resumeQueue: {
    method: 'post',
    path: '/sessions/{slug}/queue/resume',
    summary: 'Let a queue go on that an interrupt has paused',
    params: SlugParam,
    success: 200,
    response: Session,
    errors: ['no_such_session'],
  },
  keys: {
    method: 'post',
    path: '/sessions/{slug}/keys',
    summary: 'Type raw keystrokes, for clients that are terminals',
    params: SlugParam,
    body: z.strictObject({ keys: Text }),
    success: 200,
    response: z.object({ status: z.literal('typed') }),
    errors: ['no_such_session', 'session_dead', 'not_adopted', 'screen_unreachable', 'screen_unresponsive'],
  },
  resize: {
    method: 'post',
    path: '/sessions/{slug}/resize',
    summary: "Set the size of a session's terminal",
    params: SlugParam,
    body: z.strictObject({ cols: Columns, rows: Rows }),
    success: 200,
    response: Session,
    errors: [
      'no_such_session',
      'session_dead',
      'not_adopted',
      'screen_attached',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  interrupt: {
    method: 'post',
    path: '/sessions/{slug}/interrupt',
    summary: 'Stop the running turn',
    params: SlugParam,
    success: 200,
    response: z.object({ status: z.literal('interrupted') }),
    errors: [
      'no_such_session',
      'nothing_running',
      'not_adopted',
      'not_confirmed',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  ...RECORDING_ROUTES,
  explain: {
    method: 'get',
    path: '/sessions/{slug}/explain',
    summary: 'All evidence at hand, what each source makes of it, and why one was believed',
    params: SlugParam,
    success: 200,
    response: Explanation,
    errors: ['no_such_session'],
  },
  history: {
    method: 'get',
    path: '/sessions/{slug}/history',
    summary: 'Changes of status, oldest first',
    params: SlugParam,
    query: z.strictObject({ since: Timestamp.optional() }),
    success: 200,
    response: z.array(StatusChange),
    errors: ['no_such_session'],
  },
  search: {
    method: 'get',
    path: '/search',
    summary: 'What sessions said and what stood on their screens, newest first',
    query: SearchQuery,
    success: 200,
    response: SearchResult,
    errors: ['no_such_session', 'search_unavailable'],
  },
  historyDays: {
    method: 'get',
    path: '/history/days',
    summary: 'How long each session worked, waited for its user, was stuck and was idle, by day',
    query: DaysQuery,
    success: 200,
    response: z.array(SessionDay).meta({ description: 'Oldest first' }),
    errors: ['no_such_session'],
  },
  ...JSON_ROUTES,
  listStash: {
    method: 'get',
    path: '/stash',
    summary: 'Replies kept for later, and those that were applied, oldest first',
    success: 200,
    response: z.array(StashedResponse),
    errors: [],
  },
  addStash: {
    method: 'post',
    path: '/stash',
    summary: 'Keep a reply; with `next_waiting` it is applied by itself as soon as the session waits for a prompt',
    body: NewStashedResponse,
    success: 200,
    response: StashedResponse,
    errors: ['no_such_session', 'command_prefix'],
  },
  applyStash: {
    method: 'post',
    path: '/stash/{id}/apply',
    summary: 'Send a draft (a stashed reply) now',
    params: StashParam,
    success: 200,
    response: StashedResponse,
    errors: [
      'no_such_stash',
      'already_applied',
      'not_accepting_text',
      'not_adopted',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  removeStash: {
    method: 'delete',
    path: '/stash/{id}',
    summary: 'Delete a draft (a stashed reply)',
    params: StashParam,
    success: 200,
    response: StashedResponse,
    errors: ['no_such_stash'],
  },
  completeFolder: {
    method: 'get',
    path: '/folders',
    summary: "Folders of the server's machine whose path begins so, for forms; `~` is the home of the server's user",
    query: FoldersQuery,
    success: 200,
    response: Folders,
    errors: [],
  },
  broadcast: {
    method: 'post',
    path: '/send',
    summary: 'Send a prompt to several sessions',
    body: Broadcast,
    success: 200,
    response: z.array(BroadcastResult),
    errors: [],
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
type Part<N extends RouteName, K extends string> =
  (typeof ROUTES)[N] extends Record<K, infer S extends z.ZodType> ? S : never;

/** What a client passes to a route: path parameters, query and body, each where the route has it. */
export type RouteInput<N extends RouteName> = ([Part<N, 'params'>] extends [never]
  ? object
  : { params: z.input<Part<N, 'params'>> }) &
  ([Part<N, 'query'>] extends [never] ? object : { query?: z.input<Part<N, 'query'>> }) &
  ([Part<N, 'body'>] extends [never] ? object : { body: z.input<Part<N, 'body'>> });

/** What a route answers with; `never` for bytes. */
export type RouteOutput<N extends RouteName> = z.output<Part<N, 'response'>>;
