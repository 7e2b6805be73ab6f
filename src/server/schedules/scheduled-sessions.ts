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
  /** every session, including archived ones */
  named(): readonly { id: string; name: string }[];
  /** @throws CatalogueError no_such_session */
  idOf(slug: string): string;
  /** The budget that keeps CBOS from launching a session with these tags; null if none does. */
  overBudget(tags: readonly string[]): string | null;
}
