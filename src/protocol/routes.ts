import { z } from 'zod';
import { ALWAYS_ROUTES } from './always.ts';
import { ATTENTION_ROUTES } from './attention-routes.ts';
import { BUDGET_ROUTES } from './budget-routes.ts';
import { CATCHUP_ROUTES } from './catchup.ts';
import { CHANGES_ROUTES } from './changes-routes.ts';
import { CHECKPOINT_ROUTES } from './checkpoints.ts';
import { Completions, CompletionsQuery } from './completions.ts';
import { Explanation } from './explanation.ts';
import { FILE_ROUTES } from './file-routes.ts';
import { DaysQuery, SessionDay } from './history.ts';
import { JSON_ROUTES } from './json-routes.ts';
import { MACHINE_ROUTES } from './machine-routes.ts';
import { MEMORY_ROUTES } from './memory.ts';
import { PAGE_ROUTES } from './page-routes.ts';
import { PULL_REQUEST_ROUTES } from './pull-request-routes.ts';
import { RECORDING_ROUTES } from './recording-routes.ts';
import { Broadcast, BroadcastResult } from './requests.ts';
import { REVIEW_ROUTES } from './review-routes.ts';
import type { Route, RouteRow } from './route.ts';
import { RULE_ROUTES } from './rule-routes.ts';
import { SCHEDULE_ROUTES } from './schedule-routes.ts';
import { SearchQuery, SearchResult } from './search.ts';
import { ServerHealth, StatusChange } from './session.ts';
import { RESTORE_ROUTES, SESSION_ROUTES } from './session-routes.ts';
import { SINK_ROUTES } from './sink-routes.ts';
import { STASH_ROUTES } from './stash-routes.ts';
import { TEXT_ROUTES } from './text-routes.ts';
import { TranscriptPage, TranscriptQuery } from './transcript.ts';
import { TURN_ROUTES } from './turns.ts';
import { VIEW_ROUTES } from './views.ts';
import { MAX_PATH, Timestamp } from './words.ts';
import { WORKTREE_ROUTES } from './worktree-routes.ts';

export const FoldersQuery = z.strictObject({ path: z.string().max(MAX_PATH).optional() });

export const Folders = z
  .object({ folders: z.array(z.string()).meta({ description: 'absolute paths, sorted, at most 50' }) })
  .meta({ id: 'Folders' });

/**
 * The REST interface, with one entry per request. The server validates requests with it, the OpenAPI description is
 * generated from it, and the client derives its types from it. The errors `unauthorized`, `forbidden_host`,
 * `forbidden_origin`, `invalid_request` and `internal` can occur for every request, and `inside_session` follows from
 * `who`; they are not listed in the entries.
 */
export const ROUTES = complete({
  health: {
    method: 'get',
    path: '/health',
    who: 'open',
    summary: 'Whether the server is running',
    response: ServerHealth,
  },
  ...PAGE_ROUTES,
  ...SESSION_ROUTES,
  ...ATTENTION_ROUTES,
  ...RESTORE_ROUTES,
  ...TEXT_ROUTES,
  ...FILE_ROUTES,
  ...RECORDING_ROUTES,
  ...CHANGES_ROUTES,
  ...REVIEW_ROUTES,
  ...TURN_ROUTES,
  ...CHECKPOINT_ROUTES,
  ...WORKTREE_ROUTES,
  ...PULL_REQUEST_ROUTES,
  ...MACHINE_ROUTES,
  explain: {
    method: 'get',
    path: '/sessions/{slug}/explain',
    who: 'session',
    summary: 'The current evidence, the verdict of each source, and why CBOS believed one of them',
    response: Explanation,
    errors: ['no_such_session'],
  },
  history: {
    method: 'get',
    path: '/sessions/{slug}/history',
    who: 'session',
    right: 'see',
    summary: 'The status changes, oldest first',
    query: z.strictObject({ since: Timestamp.optional() }),
    response: z.array(StatusChange),
    errors: ['no_such_session'],
  },
  transcript: {
    method: 'get',
    path: '/sessions/{slug}/transcript',
    who: 'session',
    summary:
      "The messages and tool calls in the session's conversation, as Claude Code recorded them; also for sessions in a terminal",
    query: TranscriptQuery,
    response: TranscriptPage,
    errors: ['no_such_session'],
  },
  search: {
    method: 'get',
    path: '/search',
    who: 'session',
    right: 'see',
    summary: 'What sessions said and what their screens showed, newest first',
    query: SearchQuery,
    response: SearchResult,
    errors: ['no_such_session', 'search_unavailable'],
  },
  historyDays: {
    method: 'get',
    path: '/history/days',
    who: 'session',
    summary: 'How long each session worked, waited for the user, was stuck and was idle, by day',
    query: DaysQuery,
    response: z.array(SessionDay).meta({ description: 'Oldest first' }),
    errors: ['no_such_session'],
  },
  ...JSON_ROUTES,
  ...STASH_ROUTES,
  ...RULE_ROUTES,
  ...ALWAYS_ROUTES,
  ...MEMORY_ROUTES,
  ...CATCHUP_ROUTES,
  ...SINK_ROUTES,
  ...SCHEDULE_ROUTES,
  ...VIEW_ROUTES,
  ...BUDGET_ROUTES,
  completeFolder: {
    method: 'get',
    path: '/folders',
    who: 'session',
    summary:
      "Folders on the server's machine whose path begins with this text, for forms; `~` is the home directory of the user who runs the server",
    query: FoldersQuery,
    response: Folders,
  },
  completePrompt: {
    method: 'get',
    path: '/sessions/{slug}/completions',
    who: 'session',
    summary:
      "Completions for a word in a prompt: `/` completes the commands in the session's folder, and `@` completes its files; nothing outside of the folder is read",
    query: CompletionsQuery,
    response: Completions,
    errors: ['no_such_session'],
  },
  broadcast: {
    method: 'post',
    path: '/send',
    who: 'session',
    isPrompt: true,
    summary: 'Send a prompt to several sessions',
    body: Broadcast,
    response: z.array(BroadcastResult),
  },
} as const satisfies Record<string, RouteRow>);

/** The names in the braces of a path. */
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Params<Path> = [NamesIn<Path>] extends [never]
  ? object
  : { params: z.ZodObject<{ [Name in NamesIn<Path>]: z.ZodString }> };
type Complete<Rows extends Record<string, RouteRow>> = {
  [N in keyof Rows]: Pick<Route, 'success' | 'errors'> &
    Rows[N] &
    ('params' extends keyof Rows[N] ? object : Params<Rows[N]['path']>);
};

/** Adds what the rows leave out. */
function complete<Rows extends Record<string, RouteRow>>(rows: Rows): Complete<Rows> {
  const routes = Object.entries(rows).map(([name, row]) => {
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => [param, z.string()]);
    const params = names.length === 0 ? {} : { params: z.object(Object.fromEntries(names)) };
    return [name, { success: 200, errors: [], ...params, ...row }];
  });
  return Object.fromEntries(routes) as Complete<Rows>;
}

export type RouteName = keyof typeof ROUTES;
type Part<N extends RouteName, K extends string> =
  (typeof ROUTES)[N] extends Record<K, infer S extends z.ZodType> ? S : never;

/** The arguments that a client passes to a route: path parameters, query, and body, if the route has them. */
export type RouteInput<N extends RouteName> = ([Part<N, 'params'>] extends [never]
  ? object
  : { params: z.input<Part<N, 'params'>> }) &
  ([Part<N, 'query'>] extends [never] ? object : { query?: z.input<Part<N, 'query'>> }) &
  ([Part<N, 'body'>] extends [never] ? object : { body: z.input<Part<N, 'body'>> });

/** The type of a route's response, or `never` if the response consists of raw bytes. */
export type RouteOutput<N extends RouteName> = z.output<Part<N, 'response'>>;
