import { z } from 'zod';
import { Conversation, EventsPage, FleetCosts, Invocation, LastResponse, SessionCosts } from './json-session.ts';
import { Invoke } from './requests.ts';
import { NonNegative, type RouteRow } from './route.ts';
import { Session } from './session.ts';
import { SessionType } from './words.ts';

/** The maximum number of events per page. */
const MAX_EVENTS = 1_000;

/** The part of the REST interface for JSON sessions. */
export const JSON_ROUTES = {
  convertSession: {
    method: 'post',
    path: '/sessions/{slug}/convert',
    who: 'person',
    summary: 'Convert a session in a terminal into a JSON session, or the reverse, keeping its conversation',
    body: z.strictObject({ type: SessionType }),
    response: Session,
    errors: [
      'no_such_session',
      'already_running',
      'not_adopted',
      'kill_failed',
      'no_such_path',
      'path_too_long',
      'claude_not_found',
      'screen_not_found',
      'launch_failed',
    ],
  },
  conversations: {
    method: 'get',
    path: '/conversations',
    who: 'session',
    summary: 'Claude Code conversations on this machine that belong to no session, newest first',
    response: z.array(Conversation),
  },
  invoke: {
    method: 'post',
    path: '/sessions/{slug}/invoke',
    who: 'person',
    summary: 'Run a turn in a JSON session; its events are sent over the WebSocket and returned by `/events`',
    body: Invoke,
    success: 202,
    response: Invocation,
    errors: [
      'no_such_session',
      'no_events',
      'already_running',
      'session_dead',
      'session_in_use',
      'budget_reached',
      'not_confirmed',
      'no_such_path',
      'claude_not_found',
      'launch_failed',
    ],
  },
  events: {
    method: 'get',
    path: '/sessions/{slug}/events',
    who: 'session',
    right: 'see',
    summary: "A JSON session's events, oldest first",
    query: z.strictObject({
      after: NonNegative.optional(),
      limit: z.coerce.number().int().min(1).max(MAX_EVENTS).optional(),
    }),
    response: EventsPage,
    errors: ['no_such_session', 'no_events'],
  },
  lastResponse: {
    method: 'get',
    path: '/sessions/{slug}/last-response',
    who: 'session',
    right: 'see',
    summary: "A JSON session's last answer, or the answer to one prompt",
    query: z.strictObject({
      delivery: z.string().optional().meta({
        description: 'the id of a prompt: its answer, although a later turn may have ended since',
      }),
    }),
    response: LastResponse,
    errors: ['no_such_session', 'no_events', 'no_response'],
  },
  sessionCosts: {
    method: 'get',
    path: '/sessions/{slug}/costs',
    who: 'session',
    summary: "A session's costs, by turn and by day",
    response: SessionCosts,
    errors: ['no_such_session', 'no_costs'],
  },
  costs: {
    method: 'get',
    path: '/costs',
    who: 'session',
    summary: 'The costs of all sessions, by day',
    response: FleetCosts,
  },
} as const satisfies Record<string, RouteRow>;
