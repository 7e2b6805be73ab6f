import type { Broadcast, BroadcastResult } from '../protocol/index.ts';
import type { Sessions } from './sessions.ts';

/** A prompt, with the sessions to send it to. */
export type NamedBroadcast = Pick<Broadcast, 'text' | 'command' | 'queue'> & { slugs: readonly string[] };

/** The requests that features answer: who has looked at a session, its tags, and whether it is archived. */
type OfFeatures =
  | 'seen'
  | 'unseen'
  | 'snooze'
  | 'unsnooze'
  | 'tag'
  | 'archive'
  | 'unarchive'
  | 'archived'
  | 'broadcast';

/** The sessions, including those that are archived, without the requests that features answer. */
export interface BaseSessions extends Omit<Sessions, OfFeatures> {
  broadcast(request: NamedBroadcast): Promise<BroadcastResult[]>;
  /**
   * Returns the session's id, which stays the same when the session is renamed or restarted. @throws CatalogueError
   * no_such_session
   */
  idOf(slug: string): string;
  /** Prevents a lost session from being restored automatically. @throws CatalogueError no_such_session */
  forgetLoss(slug: string): void;
}
