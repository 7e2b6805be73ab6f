import type { Clock } from '../clock.ts';
import type { Sessions } from '../sessions.ts';

/** Knows whether a person is at the desk. */
export interface Presence {
  /** the sessions for the faces, which record every action of a person */
  sessions: Sessions;
  /** null if nobody has looked or acted since the server started */
  lookedMsAgo(): number | null;
}

/** Records when a person looks at a session or acts on one. Answers through the buttons of a sink do not count. */
export function watchPresence(base: Sessions, clock: Clock): Presence {
  let at: number | null = null;
  const acted = (): void => {
    at = clock.elapsed();
  };
  const noting =
    <A extends unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      acted();
      return work(...given);
    };
  return {
    sessions: {
      ...base,
      seen: noting((slug, look) => base.seen(slug, look)),
      snooze: noting((slug, request) => base.snooze(slug, request)),
      answer: noting((slug, request) => base.answer(slug, request)),
      interrupt: noting((slug) => base.interrupt(slug)),
      keys: noting((slug, keys) => base.keys(slug, keys)),
      send: (slug, request) => {
        // A text from another session proves nothing about a person.
        if (!('from' in request)) acted();
        return base.send(slug, request);
      },
    },
    lookedMsAgo: () => (at === null ? null : clock.elapsed() - at),
  };
}
