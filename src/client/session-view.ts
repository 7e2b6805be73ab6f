import {
  type Elsewhere,
  elsewhereOf,
  type SeenSession,
  type Session,
  type StreamFrame,
  splitRemoteName,
  stateOf,
} from '../protocol/index.ts';

/**
 * The sessions that this client knows, in the order in which they were created. A view is immutable, and a change
 * creates a new one.
 */
export type SessionView = ReadonlyMap<string, SeenSession>;

export const EMPTY_VIEW: SessionView = new Map();

/** Folds frames into a view. */
export interface ViewKeeper {
  take(frame: StreamFrame): void;
  /** Call this when the connection is lost. From then on, nothing known about other machines is current. */
  lose(): void;
  /** the sessions after all frames so far; the same object as before if those frames did not change a session */
  view(): SessionView;
}

/**
 * Creates a keeper that copies the view only after somebody has read it. Otherwise two hundred sessions that change
 * twenty times a second would copy 800,000 entries a second, for a face that draws fifteen times in that second. A
 * frame about a session that is not in the view changes nothing: the session's `session_added` has not arrived yet, or
 * was lost with a connection.
 * @param now the time in Unix milliseconds, for the ages of other machines' sessions
 */
export function createViewKeeper(now: () => number = () => 0): ViewKeeper {
  let kept = new Map<string, SeenSession>();
  let isSeen = false;
  const own = (): Map<string, SeenSession> => {
    if (isSeen) kept = new Map(kept);
    isSeen = false;
    return kept;
  };
  const replace = (sessions: Iterable<SeenSession>): void => {
    kept = new Map([...sessions].map((session) => [session.slug, session]));
    isSeen = false;
  };
  const ofOthers = (): SeenSession[] => [...kept.values()].filter((session) => elsewhereOf(session) !== null);
  const takeMachine = (frame: Extract<StreamFrame, { type: 'machine' }>): void => {
    const asOf = frame.reachable ? null : now() - (frame.age_ms ?? 0);
    const rows = new Map(
      frame.sessions.map((session): [string, SeenSession] => {
        const elsewhere: Elsewhere = { machine: frame.machine, slug: session.slug, may: frame.may, asOf };
        const slug = `${frame.machine}/${session.slug}`;
        return [slug, { ...session, slug, elsewhere }];
      }),
    );
    const view = own();
    for (const { slug, elsewhere } of ofOthers()) {
      if (elsewhere?.machine === frame.machine && !rows.has(slug)) view.delete(slug);
    }
    for (const [slug, row] of rows) if (splitRemoteName(slug) !== null) view.set(slug, row);
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
    lose: () => {
      for (const session of ofOthers()) {
        if (session.elsewhere === undefined) continue;
        const { elsewhere } = session;
        own().set(session.slug, { ...session, elsewhere: { ...elsewhere, may: [], asOf: elsewhere.asOf ?? now() } });
      }
    },
    take: (frame) => {
      switch (frame.type) {
        case 'sessions':
          replace([...frame.sessions, ...ofOthers()]);
          break;
        case 'fleet':
          for (const { slug, elsewhere } of ofOthers()) {
            if (!frame.machines.includes(elsewhere?.machine ?? '')) own().delete(slug);
          }
          break;
        case 'machine':
          takeMachine(frame);
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
            // An older server does not report it.
            unread: frame.unread ?? session.unread,
            marked_unread: frame.marked_unread ?? session.marked_unread,
            news: frame.news ?? session.news,
            snoozed: frame.snoozed === undefined ? session.snoozed : frame.snoozed,
            // For a JSON session, the frame's `state` is its `json_state` word, so the word for lists is derived anew.
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
