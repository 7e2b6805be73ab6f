import { z } from 'zod';
import { NewStashedResponse } from './requests.ts';
import type { RouteRow } from './route.ts';
import { StashedResponse } from './stash.ts';

/** The part of the REST interface for drafts, which are replies kept for later. */
export const STASH_ROUTES = {
  listStash: {
    method: 'get',
    path: '/stash',
    who: 'session',
    summary: 'The drafts (stashed replies), including those already sent, oldest first',
    response: z.array(StashedResponse),
  },
  addStash: {
    method: 'post',
    path: '/stash',
    who: 'person',
    summary: 'Keep a reply; with `next_waiting` CBOS sends it as soon as the session waits for a prompt',
    body: NewStashedResponse,
    response: StashedResponse,
    errors: ['no_such_session', 'command_prefix'],
  },
  applyStash: {
    method: 'post',
    path: '/stash/{id}/apply',
    who: 'person',
    summary: 'Send a draft (a stashed reply) now',
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
    who: 'person',
    summary: 'Delete a draft (a stashed reply)',
    response: StashedResponse,
    errors: ['no_such_stash'],
  },
} as const satisfies Record<string, RouteRow>;
