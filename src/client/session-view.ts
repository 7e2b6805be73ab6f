import { type Session, type StreamFrame, stateOf } from '../protocol/index.ts';

/** The sessions as this client knows them, in the order they were created. A new map with each change, so it can be kept and compared. */
export type SessionView = ReadonlyMap<string, Session>;

export const EMPTY_VIEW: SessionView = new Map();

/**
 * The view after a frame; the same object where the frame changes nothing of the sessions.
 * A frame about a session that is not in the view changes nothing: its `session_added` is still to come or was lost with a connection.
 */
export function foldFrame(view: SessionView, frame: StreamFrame): SessionView {
  switch (frame.type) {
    case 'sessions':
      return new Map(frame.sessions.map((session) => [session.slug, session]));
    case 'session_added':
      return new Map(view).set(frame.session.slug, frame.session);
    case 'session_updated':
      return view.has(frame.session.slug) ? new Map(view).set(frame.session.slug, frame.session) : view;
    case 'session_removed': {
      if (!view.has(frame.session)) return view;
      const next = new Map(view);
      next.delete(frame.session);
      return next;
    }
    case 'session_renamed':
      if (!view.has(frame.session)) return view;
      // Rebuilt, so that the renamed session keeps its place.
      return new Map(
        [...view.values()].map((session) => {
          const slug = session.slug === frame.session ? frame.slug : session.slug;
          return [slug, { ...session, slug }];
        }),
      );
    case 'session_state':
      return change(view, frame.session, (session) => ({
        ...session,
        status: frame.status,
        json_state: frame.json_state,
        // For a JSON session the frame's `state` is its `json_state` word, so the word for lists is derived again.
        state: stateOf(frame.status.primary, frame.status.detail, session.state),
      }));
    case 'resized':
      return change(view, frame.session, (session) => ({ ...session, cols: frame.cols, rows: frame.rows }));
    default:
      return view;
  }
}

function change(view: SessionView, slug: string, edit: (session: Session) => Session): SessionView {
  const session = view.get(slug);
  return session === undefined ? view : new Map(view).set(slug, edit(session));
}
