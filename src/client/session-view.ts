import { type Session, type StreamFrame, stateOf } from '../protocol/index.ts';

/**
 * The sessions as this client knows them, in the order they were created. It never changes: what changes is another
 * one.
 */
export type SessionView = ReadonlyMap<string, Session>;

export const EMPTY_VIEW: SessionView = new Map();

/** Folds frames into a view. */
export interface ViewKeeper {
  take(frame: StreamFrame): void;
  /** the sessions after all frames so far; the same object as before where those changed nothing of them */
  view(): SessionView;
}

/**
 * Copies the view only after somebody has seen it: two hundred sessions that change twenty times a second would else
 * copy 800,000 entries a second, for a face that draws fifteen pictures of them. A frame about a session that is not in
 * the view changes nothing: its `session_added` is still to come or was lost with a connection.
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
          // Rebuilt, so that the renamed session keeps its place.
          if (kept.has(frame.session)) {
            replace([...kept.values()].map((one) => (one.slug === frame.session ? { ...one, slug: frame.slug } : one)));
          }
          break;
        case 'session_state':
          change(frame.session, (session) => ({
            ...session,
            status: frame.status,
            json_state: frame.json_state,
            // For a JSON session the frame's `state` is its `json_state` word, so the word for lists is derived again.
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
