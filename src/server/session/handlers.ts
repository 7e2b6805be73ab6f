import { completePrompt } from '../../platform/files/complete-prompt.ts';
import { placeOf } from '../../protocol/index.ts';
import type { STASH_ROUTES } from '../../protocol/stash-routes.ts';
import type { TEXT_ROUTES } from '../../protocol/text-routes.ts';
import type { Handlers } from '../handlers.ts';
import type { Sessions } from '../sessions.ts';

/** How many lines `GET …/buffer` returns by default. */
const DEFAULT_BUFFER_LINES = 100;
/** How many events `GET …/events` returns by default. */
const DEFAULT_EVENTS = 200;

type TextRoute = keyof typeof TEXT_ROUTES | keyof typeof STASH_ROUTES | 'broadcast' | 'completePrompt';

/** Creates the handlers for everything that people write into sessions: prompts, answers, keys and drafts. */
export function createTextHandlers(sessions: Sessions): Pick<Handlers, TextRoute> {
  return {
    send: ({ params, body }) => sessions.send(params.slug, body),
    answer: async ({ params, body }) => {
      await sessions.answer(params.slug, body);
      return { status: 'answered' };
    },
    listDeliveries: ({ params }) => sessions.deliveries(params.slug),
    getDelivery: ({ params }) => sessions.delivery(params.slug, params.id),
    patchDelivery: ({ params, body }) => sessions.changeDelivery(params.slug, params.id, body.text),
    cancelDelivery: ({ params }) => sessions.cancelDelivery(params.slug, params.id),
    keys: async ({ params, body }) => {
      await sessions.keys(params.slug, body.keys);
      return { status: 'typed' };
    },
    resize: ({ params, body }) => sessions.resize(params.slug, body.cols, body.rows),
    continueSession: ({ params }) => sessions.continueAfterLimit(params.slug),
    interrupt: async ({ params }) => {
      await sessions.interrupt(params.slug);
      return { status: 'interrupted' };
    },
    resumeQueue: async ({ params }) => sessions.resumeQueue(params.slug),
    listStash: () => sessions.stash(),
    addStash: ({ body }) => sessions.addToStash(body),
    applyStash: ({ params }) => sessions.applyStash(params.id),
    removeStash: ({ params }) => sessions.removeFromStash(params.id),
    completePrompt: async ({ params, query }) => {
      const path = placeOf(sessions.get(params.slug));
      return { items: path === null ? [] : await completePrompt(path, query.word) };
    },
    broadcast: ({ body }) => sessions.broadcast(body),
  };
}

type PastRoute =
  | 'buffer'
  | 'explain'
  | 'history'
  | 'historyDays'
  | 'transcript'
  | 'search'
  | 'invoke'
  | 'events'
  | 'lastResponse'
  | 'sessionCosts'
  | 'costs';

/** Creates the handlers that read what a session shows, did, said and cost. */
export function createPastHandlers(sessions: Sessions): Pick<Handlers, PastRoute> {
  return {
    buffer: ({ params, query }) =>
      sessions.buffer(params.slug, { lines: query.lines ?? DEFAULT_BUFFER_LINES, format: query.format ?? 'text' }),
    explain: ({ params }) => sessions.explain(params.slug),
    history: ({ params, query }) => sessions.history(params.slug, query.since ?? null),
    invoke: ({ params, body }) => sessions.invoke(params.slug, body),
    events: ({ params, query }) =>
      sessions.events(params.slug, { after: query.after ?? 0, limit: query.limit ?? DEFAULT_EVENTS }),
    lastResponse: ({ params, query }) => sessions.lastResponse(params.slug, query.delivery),
    sessionCosts: ({ params }) => sessions.sessionCosts(params.slug),
    costs: () => sessions.costs(),
    historyDays: ({ query }) => sessions.historyDays(query),
    transcript: ({ params, query }) => sessions.transcript(params.slug, query.after ?? null),
    search: ({ query }) => sessions.search(query),
  };
}
