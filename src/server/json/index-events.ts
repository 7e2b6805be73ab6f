import type { NumberedEvent } from '../../platform/search/index.ts';
import type { StoredEvent } from '../../protocol/index.ts';
import type { ActorDeps } from '../session/actor.ts';

type IndexDeps = Pick<ActorDeps, 'events' | 'search'>;

/** How many events are read at once. The number is small because events are parsed in the server's main thread. */
const PAGE_EVENTS = 200;

/** Passes the events that contain searchable text to the search index. */
export function indexEvents(
  { search }: Pick<IndexDeps, 'search'>,
  sessionId: string,
  stored: readonly StoredEvent[],
): void {
  const messages = stored.filter(({ event }) => event.type === 'assistant' || event.type === 'user').map(toNumbered);
  if (messages.length > 0) search.addEvents(sessionId, messages);
}

/**
 * Indexes events that are stored but not indexed, because there was no index or because the server crashed before the
 * index had accepted them.
 */
export async function indexMissedEvents(deps: IndexDeps, sessionId: string): Promise<void> {
  let after = await deps.search.lastEvent(sessionId);
  for (;;) {
    const page = deps.events.read(sessionId, after, PAGE_EVENTS);
    indexEvents(deps, sessionId, page);
    const last = page.at(-1)?.seq;
    if (last === undefined) return;
    after = last;
    // Between two pages of events, the server can do other work.
    await new Promise(setImmediate);
  }
}

function toNumbered({ seq, timestamp, event }: StoredEvent): NumberedEvent {
  return { seq, at: timestamp * 1_000, event };
}
