import type { Sessions } from '../sessions.ts';

/** The session methods that schedules need. */
export interface ScheduledSessions
  extends Pick<
    Sessions,
    | 'get'
    | 'send'
    | 'delivery'
    | 'cancelDelivery'
    | 'create'
    | 'tag'
    | 'restart'
    | 'park'
    | 'kill'
    | 'archive'
    | 'onEvent'
  > {
  /** returns every session, including archived ones */
  named(): readonly { id: string; name: string }[];
  /** @throws CatalogueError no_such_session */
  idOf(slug: string): string;
  /** Returns the budget that prevents CBOS from launching a session with these tags; null if there is none. */
  overBudget(tags: readonly string[]): string | null;
}
