import { EventsPage } from '../../protocol/index.ts';
import type { FarEvents } from '../stream/other-machines.ts';
import type { FarSourceOptions } from './far-source.ts';

/** How many events are read from the owner at once for a client that is behind. */
const PAGE = 200;

/** Follows the events of a JSON session on another machine, for all clients together. */
export function farEvents({ member, slug, watches, ask, listener }: FarSourceOptions): FarEvents {
  let last: number | null = null;
  const watch = watches.open(member, {
    ...{ slug, of: 'events', isWanted: listener.isWanted, onEnded: listener.onEnded },
    place: () => (last === null ? null : { from: last, epoch: 0 }),
    onBegun: ({ from }) => {
      last ??= from;
    },
    onNews: (news) => {
      if (news.of !== 'events') return;
      // News whose confirmation was lost is sent again.
      const fresh = news.events.filter(({ seq }) => seq > (last ?? 0));
      last = fresh.at(-1)?.seq ?? last;
      listener.onEvents(fresh);
    },
  });
  return {
    read: async (after) => {
      // Events that come while a page is read must be reported, so the watch has to begin first.
      await watch.begun;
      return watch.ask(async () => {
        const call = { route: 'events' as const, params: { slug }, query: { after, limit: PAGE } };
        return EventsPage.parse(await ask(member, { kind: 'call', call, ticket: null }));
      });
    },
    leave: watch.end,
  };
}
