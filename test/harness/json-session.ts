import type { EventsPage, Invocation, Session, StoredEvent } from '../../src/protocol/index.ts';
import type { Cbos } from './cbos.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** Helpers for tests that use JSON sessions over REST. */
export interface JsonSessions {
  create(slug: string, more?: object): Promise<Session>;
  invoke(slug: string, prompt: string): ReturnType<Cbos['call']> & Promise<{ status: number; body: Invocation }>;
  answer(slug: string, body: object): ReturnType<Cbos['call']>;
  /** all events, read page by page */
  events(slug: string): Promise<StoredEvent[]>;
  /** how many of the world's Claude Code processes run JSON sessions */
  agents(): number;
  untilNoAgent(): Promise<unknown>;
}

/**
 * @param server returns the current server, because a test may start another one
 */
export function jsonSessions(world: World, server: () => Cbos): JsonSessions {
  const agents = (): number =>
    world.processes().filter(({ command }) => command.includes('--input-format stream-json')).length;
  return {
    create: async (slug, more = {}) => {
      const body = { slug, path: world.projectDir, type: 'json', ...more };
      const created = await server().call<Session>('POST', '/sessions', body);
      if (created.error !== null) throw new Error(`${created.error.code}: ${created.error.message}`);
      return created.body;
    },
    invoke: (slug, prompt) => server().call<Invocation>('POST', `/sessions/${slug}/invoke`, { prompt }),
    answer: (slug, body) => server().call('POST', `/sessions/${slug}/answer`, body),
    events: async (slug) => {
      const all: StoredEvent[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const path = `/sessions/${slug}/events?after=${after}&limit=50`;
        const page: EventsPage = (await server().call<EventsPage>('GET', path)).body;
        all.push(...page.events);
        after = page.next;
      }
      return all;
    },
    agents,
    untilNoAgent: () =>
      waitFor(() => agents() === 0, { describe: 'no Claude Code runs', actual: () => String(agents()) }),
  };
}
