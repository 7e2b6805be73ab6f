import { z } from 'zod';
import { NewStashedResponse } from './requests.ts';
import type { Route } from './route.ts';
import { StashedResponse } from './stash.ts';

const StashParam = z.object({ id: z.string() });

/** The part of the REST interface for drafts, which are replies kept for later. */
export const STASH_ROUTES = {
  listStash: {
    method: 'get',
    path: '/stash',
    who: 'session',
    summary: 'The drafts (stashed replies), including those already sent, oldest first',
    success: 200,
    response: z.array(StashedResponse),
    errors: [],
  },
  addStash: {
    method: 'post',
    path: '/stash',
    who: 'person',
    summary: 'Keep a reply; with `next_waiting` CBOS sends it as soon as the session waits for a prompt',
    body: NewStashedResponse,
    success: 200,
    response: StashedResponse,
    errors: ['no_such_session', 'command_prefix'],
  },
  applyStash: {
    method: 'post',
    path: '/stash/{id}/apply',
    who: 'person',
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
    who: 'person',
    summary: 'Delete a draft (a stashed reply)',
    params: StashParam,
    success: 200,
    response: StashedResponse,
    errors: ['no_such_stash'],
  },
} as const satisfies Record<string, Route>;
