import type { EventStore } from '../../platform/sqlite/event-store.ts';
import type { TerminalCostStore } from '../../platform/sqlite/terminal-cost-store.ts';
import { CatalogueError, type FleetCosts, type SessionCosts } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { addUsage, NO_USAGE } from '../session/usage.ts';
import { toTimestamp } from '../session/view.ts';

interface CostStores {
  readonly events: Pick<EventStore, 'days' | 'turns'>;
  readonly terminalCosts: Pick<TerminalCostStore, 'read'>;
}

type Days = FleetCosts['days'];

/** Returns the costs of each day: the turns of JSON sessions, and the dollars spent by terminal sessions. */
function daysOf({ events, terminalCosts }: CostStores, sessionId: string | null): Days {
  const days = new Map(events.days(sessionId).map(({ day, ...turns }) => [day, addUsage(NO_USAGE, turns)]));
  for (const { day, cost_usd } of terminalCosts.read(sessionId, null)) {
    const more = { ...NO_USAGE, cost_usd, terminal_cost_usd: cost_usd };
    days.set(day, addUsage(days.get(day) ?? NO_USAGE, more));
  }
  return [...days].map(([day, spent]) => ({ day, ...spent })).sort((one, other) => (one.day < other.day ? -1 : 1));
}

/** @throws CatalogueError no_costs */
export function readSessionCosts(
  stores: CostStores,
  actor: Pick<SessionActor, 'slug' | 'record' | 'view'>,
): SessionCosts {
  const { id, type, launch } = actor.record;
  const days = daysOf(stores, id);
  if (type === 'screen' && days.length === 0 && actor.view().cost_usd === null)
    throw new CatalogueError('no_costs', `Claude Code has not reported what ${actor.slug} costs`);
  const turns = stores.events.turns(id).map(({ at, ...usage }) => ({ at: toTimestamp(at), ...usage }));
  return { session: days.reduce(addUsage, NO_USAGE), max_budget_usd: launch.max_budget_usd, days, turns };
}

export function readFleetCosts(stores: CostStores): FleetCosts {
  const days = daysOf(stores, null);
  return { total: days.reduce(addUsage, NO_USAGE), days };
}
