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
 * The sessions that this client knows, in the order in which they were created. A view is immutable: each change
 * creates a new view.
 */
export type SessionView = ReadonlyMap<string, SeenSession>;

type MachineFrame = Extract<StreamFrame, { type: 'machine' }>;

export const EMPTY_VIEW: SessionView = new Map();

/** Applies frames to a view. */
export interface ViewKeeper {
  take(frame: StreamFrame): void;
  /** Call this when the connection is lost. From then on, everything known about other machines counts as outdated. */
  lose(): void;
  /** the sessions after all frames so far; returns the same object as before if no frame has changed a session */
  view(): SessionView;
}

/**
 * Creates an object that keeps the view up to date, and copies it only if it has been read since the last change.
 * Otherwise, two hundred sessions that change twenty times a second would cause 800,000 entries to be copied each
 * second, for a face that draws only fifteen times a second. Frames about a session that is not in the view are
 * ignored: either its `session_added` has not arrived yet, or the connection was lost before it arrived.
 * @param now returns the time in Unix milliseconds, for the ages of sessions on other machines
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
  const takeMachine = (frame: MachineFrame): void => {
    const rows = rowsOf(frame, now());
    const view = own();
    if (frame.change === undefined) {
      for (const { slug, elsewhere } of ofOthers()) {
        if (elsewhere?.machine === frame.machine && !rows.has(slug)) view.delete(slug);
      }
    } else for (const slug of frame.change.removed) view.delete(`${frame.machine}/${slug}`);
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
        const { elsewhere } = session;
        if (elsewhere === undefined) continue;
        const lost = { may: [], asOf: elsewhere.asOf ?? now(), cause: elsewhere.cause ?? ('unreachable' as const) };
        own().set(session.slug, { ...session, elsewhere: { ...elsewhere, ...lost } });
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
          // Rebuild the map, so that the renamed session keeps its position.
          if (kept.has(frame.session)) {
            replace([...kept.values()].map((one) => (one.slug === frame.session ? { ...one, slug: frame.slug } : one)));
          }
          break;
        case 'session_state':
          change(frame.session, (session) => ({ ...session, ...stateIn(frame, session) }));
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

/** Returns the sessions in a machine's frame, by their names in a list of the whole fleet. */
function rowsOf(
  { machine, sessions, may, cause, live, ...frame }: MachineFrame,
  now: number,
): Map<string, SeenSession> {
  const asOf = frame.reachable ? null : now - (frame.age_ms ?? 0);
  return new Map(
    sessions.map((session): [string, SeenSession] => {
      const slug = `${machine}/${session.slug}`;
      const elsewhere: Elsewhere = { machine, slug: session.slug, may, asOf, cause, isLive: live ?? true };
      return [slug, { ...session, slug, elsewhere }];
    }),
  );
}

function stateIn(frame: Extract<StreamFrame, { type: 'session_state' }>, before: Session): Partial<Session> {
  const { status, json_state } = frame;
  return {
    ...{ status, json_state },
    // An older server does not send these fields.
    unread: frame.unread ?? before.unread,
    marked_unread: frame.marked_unread ?? before.marked_unread,
    news: frame.news ?? before.news,
    snoozed: frame.snoozed === undefined ? before.snoozed : frame.snoozed,
    // For a JSON session, the frame's `state` is the `json_state` word, so the word that lists show must be derived
    // from the status.
    state: stateOf(status.primary, status.detail, before.state),
  };
}
