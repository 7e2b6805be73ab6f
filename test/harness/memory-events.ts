import {
  CatalogueError,
  type ClaudeEvent,
  type EventsPage,
  type FleetCosts,
  type LastResponse,
  type SessionCosts,
  type StoredEvent,
} from '../../src/protocol/index.ts';
import { turnCost } from '../../src/server/json/turn-cost.ts';
import { addUsage, NO_USAGE } from '../../src/server/session/usage.ts';
import { SINCE } from './some-session.ts';

const HAPPENED_AT_SECONDS = 1_763_650_000;

/** A JSON session's events in memory, and the state that follows from them. */
export class MemoryEvents {
  readonly #events = new Map<string, StoredEvent[]>();

  of(slug: string): StoredEvent[] {
    return this.#events.get(slug) ?? [];
  }

  add(slug: string, events: readonly ClaudeEvent[]): StoredEvent[] {
    const known = this.of(slug);
    const stored = events.map((event, index) => ({
      seq: known.length + index + 1,
      timestamp: HAPPENED_AT_SECONDS,
      event,
    }));
    this.#events.set(slug, [...known, ...stored]);
    return stored;
  }

  rename(from: string, to: string): void {
    const events = this.#events.get(from);
    if (events !== undefined) this.#events.set(to, events);
  }

  page(slug: string, { after, limit }: { after: number; limit: number }): EventsPage {
    const rest = this.of(slug).filter(({ seq }) => seq > after);
    const events = rest.slice(0, limit);
    return { events, next: rest.length > limit ? (events.at(-1)?.seq ?? null) : null };
  }

  lastResponse(slug: string): LastResponse {
    const result = this.of(slug).findLast(({ event }) => event.type === 'result');
    if (result === undefined) throw new CatalogueError('no_response');
    return { text: String(result.event.result), cost_usd: 0.01, duration_ms: 1_200, at: SINCE };
  }

  costs(slug: string): SessionCosts {
    let total = 0;
    const results = this.of(slug).filter(({ event }) => event.type === 'result');
    const turns = results.map(({ event }) => {
      const { day: _, ...usage } = turnCost(event, total, HAPPENED_AT_SECONDS * 1_000);
      total = Number(event.total_cost_usd ?? 0);
      return { ...usage, at: SINCE };
    });
    const session = turns.map((usage) => ({ turns: 1, ...usage })).reduce(addUsage, NO_USAGE);
    const days = turns.length === 0 ? [] : [{ day: SINCE.slice(0, 10), ...session }];
    return { session, max_budget_usd: null, days, turns };
  }

  /**
   * @param terminalUsd what terminal sessions cost
   */
  allCosts(terminalUsd: number): FleetCosts {
    const turns = [...this.#events.keys()].map((slug) => this.costs(slug).session);
    const total = [...turns, terminalUsage(terminalUsd)].reduce(addUsage, NO_USAGE);
    return { total, days: total.cost_usd === 0 ? [] : [{ day: SINCE.slice(0, 10), ...total }] };
  }
}

function terminalUsage(costUsd: number): typeof NO_USAGE {
  return { ...NO_USAGE, cost_usd: costUsd, terminal_cost_usd: costUsd };
}

/** Returns what a terminal session cost, as Claude Code reported it. */
export function terminalCosts(costUsd: number | null): SessionCosts {
  if (costUsd === null) throw new CatalogueError('no_costs');
  const session = terminalUsage(costUsd);
  return { session, max_budget_usd: null, days: [{ day: SINCE.slice(0, 10), ...session }], turns: [] };
}
