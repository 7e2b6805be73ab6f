import { type Session, type StreamFrame, stateOf } from '../protocol/index.ts';

/**
 * The sessions that this client knows, in the order of their creation. A view is immutable, and a change creates a
 * new one.
 */
export type SessionView = ReadonlyMap<string, Session>;

export const EMPTY_VIEW: SessionView = new Map();

/** Folds frames into a view. */
export interface ViewKeeper {
  take(frame: StreamFrame): void;
  /** the sessions after all frames so far; the same object as before if those frames did not change a session */
  view(): SessionView;
}

/**
 * Creates a keeper that copies the view only after somebody has read it. Otherwise two hundred sessions that change
 * twenty times a second would copy 800,000 entries a second, for a face that draws fifteen times in that second. A
 * frame about a session that is not in the view changes nothing. Its `session_added` has not arrived yet, or was lost
 * with a connection.
 */
export function createViewKeeper(): ViewKeeper {
  let kept = new Map<string, Session>();
  let isSeen = false;
  const own = (): Map<string, Session> => {
    if (isSeen) kept = new Map(kept);
    isSeen = false;
    return kept;
  };
  const replace = (sessions: Iterable<Session>): void => {
    kept = new Map([...sessions].map((session) => [session.slug, session]));
    isSeen = false;
  };
  const change = (slug: string, edit: (session: Session) => Session): void => {
    const session = kept.get(slug);
    if (session !== undefined) own().set(slug, edit(session));
  };

  return {
    view: () => {
      isSeen = true;
      return kept;
    },
    take: (frame) => {
      switch (frame.type) {
        case 'sessions':
          replace(frame.sessions);
          break;
        case 'session_added':
          own().set(frame.session.slug, frame.session);
          break;
        case 'session_updated':
          change(frame.session.slug, () => frame.session);
          break;
        case 'session_removed':
          if (kept.has(frame.session)) own().delete(frame.session);
          break;
        case 'session_renamed':
          // The map is rebuilt so that the renamed session keeps its place.
          if (kept.has(frame.session)) {
            replace([...kept.values()].map((one) => (one.slug === frame.session ? { ...one, slug: frame.slug } : one)));
          }
          break;
        case 'session_state':
          change(frame.session, (session) => ({
            ...session,
            status: frame.status,
            json_state: frame.json_state,
            // An older server does not tell.
            unread: frame.unread ?? session.unread,
            marked_unread: frame.marked_unread ?? session.marked_unread,
            news: frame.news ?? session.news,
            snoozed: frame.snoozed === undefined ? session.snoozed : frame.snoozed,
            // For a JSON session, `state` of the frame is its `json_state` word, so the word for lists is derived
            // again.
            state: stateOf(frame.status.primary, frame.status.detail, session.state),
          }));
          break;
        case 'resized':
          change(frame.session, (session) => ({ ...session, cols: frame.cols, rows: frame.rows }));
          break;
        default:
          break;
      }
    },
  };
}
