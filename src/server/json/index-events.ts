import type { NumberedEvent } from '../../platform/search/index.ts';
import type { StoredEvent } from '../../protocol/index.ts';
import type { ActorDeps } from '../session/actor.ts';

type IndexDeps = Pick<ActorDeps, 'events' | 'search'>;

/** How many events are read at once. Events are parsed in the server's main thread. */
const PAGE_EVENTS = 200;

/** Passes the searchable events to the search index. */
export function indexEvents(
  { search }: Pick<IndexDeps, 'search'>,
  sessionId: string,
  stored: readonly StoredEvent[],
): void {
  const messages = stored.filter(({ event }) => event.type === 'assistant' || event.type === 'user').map(toNumbered);
  if (messages.length > 0) search.addEvents(sessionId, messages);
}

/**
 * Indexes the events that were stored while there was no index, or while the index did not accept them, for example
 * before a crash.
 */
export async function indexMissedEvents(deps: IndexDeps, sessionId: string): Promise<void> {
  let after = await deps.search.lastEvent(sessionId);
  for (;;) {
    const page = deps.events.read(sessionId, after, PAGE_EVENTS);
    indexEvents(deps, sessionId, page);
    const last = page.at(-1)?.seq;
    if (last === undefined) return;
    after = last;
    // Lets the server do other work between two pages.
    await new Promise(setImmediate);
  }
}

function toNumbered({ seq, timestamp, event }: StoredEvent): NumberedEvent {
  return { seq, at: timestamp * 1_000, event };
}
