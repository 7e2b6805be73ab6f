import type { NumberedEvent } from '../../platform/search/index.ts';
import type { StoredEvent } from '../../protocol/index.ts';
import type { ActorDeps } from '../session/actor.ts';

type IndexDeps = Pick<ActorDeps, 'events' | 'search'>;

/** How many events are read at once: they are parsed in the server's own thread. */
const PAGE_EVENTS = 200;

/** Hands to the search index what of these events can be found again. */
export function indexEvents(
  { search }: Pick<IndexDeps, 'search'>,
  sessionId: string,
  stored: readonly StoredEvent[],
): void {
  const messages = stored.filter(({ event }) => event.type === 'assistant' || event.type === 'user').map(toNumbered);
  if (messages.length > 0) search.addEvents(sessionId, messages);
}

/** The same for those that were stored while the index did not take them: before a crash, or before there was one. */
export async function indexMissedEvents(deps: IndexDeps, sessionId: string): Promise<void> {
  let after = await deps.search.lastEvent(sessionId);
  for (;;) {
    const page = deps.events.read(sessionId, after, PAGE_EVENTS);
    indexEvents(deps, sessionId, page);
    const last = page.at(-1)?.seq;
    if (last === undefined) return;
    after = last;
    // Its turn is over, and everybody else has theirs.
    await new Promise(setImmediate);
  }
}

function toNumbered({ seq, timestamp, event }: StoredEvent): NumberedEvent {
  return { seq, at: timestamp * 1_000, event };
}
