import type { RowsChange, Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';

/**
 * The shortest time between two messages. Even a machine with fifty busy sessions therefore sends only forty messages a
 * second, each with the rows that have changed.
 */
const PAUSE_MS = 25;

export interface RowTeller {
  /** Sends the whole list. */
  now(): void;
  /** returns how often the list has changed since the server started */
  revision(): number;
  dispose: Dispose;
}

/**
 * Tells the other machines about the list of sessions whenever it changes. The first change is sent immediately, and
 * further changes are sent together.
 * @param options.tell sends a change, or the whole list if the change is null
 */
export function tellRows(options: {
  sessions: Pick<Sessions, 'list' | 'onEvent'>;
  clock: Clock;
  tell(change: RowsChange | null): void;
}): RowTeller {
  const { sessions, clock, tell } = options;
  let stopPause: Dispose | null = null;
  /** the rows that have changed since the last message; null for a session that is no longer listed */
  let changed = new Map<string, Session | null>();
  let revision = 0;
  /** the revision that the last message stated */
  let told = 0;

  const send = (change: RowsChange | null): void => {
    changed = new Map();
    told = revision;
    tell(change);
    stopPause?.();
    stopPause = clock.after(PAUSE_MS, () => {
      stopPause = null;
      if (changed.size > 0) sendChange();
    });
  };
  const sendChange = (): void => {
    const rows = [...changed.values()].filter((session) => session !== null);
    const removed = [...changed].flatMap(([slug, session]) => (session === null ? [slug] : []));
    send({ from: told, sessions: rows, removed });
  };
  const stopListening = sessions.onEvent((event) => {
    const rows = rowsOf(event, sessions);
    if (rows.length === 0) return;
    for (const [slug, session] of rows) changed.set(slug, session);
    revision += 1;
    if (stopPause === null) sendChange();
  });
  return {
    now: () => send(null),
    revision: () => revision,
    dispose: () => {
      stopListening();
      stopPause?.();
    },
  };
}

/** Returns the rows that an event changes, each with the name of its session. */
function rowsOf(event: SessionEvent, sessions: Pick<Sessions, 'list'>): [string, Session | null][] {
  switch (event.kind) {
    case 'events':
      return [];
    case 'resized':
      // `get` would also return a session that is not listed (yet), which the other machines must not see.
      return sessions.list().flatMap((session) => (session.slug === event.slug ? [[event.slug, session]] : []));
    case 'removed':
      return [[event.slug, null]];
    case 'renamed':
      return [
        [event.from, null],
        [event.session.slug, event.session],
      ];
    default:
      return [[event.session.slug, event.session]];
  }
}
