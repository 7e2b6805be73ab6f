import { Emitter } from '../../emitter/emitter.ts';
import type { Session } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';

/** What a feature contributes to every session that a face sees, such as its tags. */
export interface Facts {
  /** Returns the feature's fields. @param id the session's id, which stays the same when the session is renamed */
  of(id: string, session: Session): Partial<Session>;
  /** Sees an event before the faces. The faces get what `pass` is called with, so a feature can hold an event back. */
  take?(event: SessionEvent, id: string, pass: (event: SessionEvent) => void): void;
}

/** A feature's place in the book. */
export interface BookPlace {
  /** Reports an event to the features that were added later, and to the faces. */
  tell(event: SessionEvent): void;
  dispose: Dispose;
}

/**
 * The sessions as every face shows them: a list of features, whose facts each session has, and one event for all faces.
 */
export interface Book {
  /** Adds a feature. Events pass through the features in the order in which they were added. */
  add(facts: Facts): BookPlace;
  /** Returns a session with the facts of all features. */
  shown(id: string, session: Session): Session;
  /** Returns the id of a listed session; undefined if no session has this name. */
  idOf(slug: string): string | undefined;
  /** Returns the name of a listed session; null if no session has this id. */
  slugOf(id: string): string | null;
  /** Reports an event to all features, and then to the faces. */
  tell(event: SessionEvent): void;
  onEvent(listener: (event: SessionEvent) => void): Dispose;
}

export interface BookOptions {
  /** returns the id of a session that has just been listed */
  idOf(slug: string): string;
  log: Pick<Logger, 'error'>;
}

/** The names and ids of the listed sessions. */
function createNames(idOf: (slug: string) => string) {
  const ids = new Map<string, string>();
  return {
    idOf: (slug: string): string | undefined => ids.get(slug),
    slugOf: (id: string): string | null => [...ids].find(([, one]) => one === id)?.[0] ?? null,
    take: (event: SessionEvent): void => {
      if (event.kind === 'added') ids.set(event.session.slug, idOf(event.session.slug));
      if (event.kind !== 'renamed') return;
      const id = ids.get(event.from);
      ids.delete(event.from);
      if (id !== undefined) ids.set(event.session.slug, id);
    },
    forget: (slug: string): void => void ids.delete(slug),
  };
}

export function createBook({ idOf, log }: BookOptions): Book {
  const features: Facts[] = [];
  const names = createNames(idOf);
  const failed = (cause: unknown, event: SessionEvent): void =>
    log.error({ err: cause, event: event.kind }, 'a listener of session events failed');
  const faces = new Emitter<[SessionEvent]>(failed);

  function shown(id: string, session: Session): Session {
    let known = session;
    for (const facts of features) known = { ...known, ...facts.of(id, known) };
    return known;
  }

  const withFacts = (event: SessionEvent, id: string | undefined): SessionEvent =>
    id !== undefined && 'session' in event ? { ...event, session: shown(id, event.session) } : event;

  /** Passes an event through the features that follow this one, and then to the faces. */
  function pass(event: SessionEvent, id: string | undefined, next: readonly Facts[]): void {
    const [facts, ...later] = next;
    if (facts === undefined || id === undefined) faces.tell(withFacts(event, id));
    else if (facts.take === undefined) pass(event, id, later);
    else {
      try {
        facts.take(event, id, (passed) => pass(passed, id, later));
      } catch (cause) {
        failed(cause, event);
      }
    }
  }

  function passFrom(event: SessionEvent, next: readonly Facts[]): void {
    const id = names.idOf('session' in event ? event.session.slug : event.slug);
    pass(event, id, id === undefined ? [] : next);
  }

  return {
    add: (facts) => {
      features.push(facts);
      return {
        tell: (event) => passFrom(event, features.slice(features.indexOf(facts) + 1)),
        dispose: () => {
          const index = features.indexOf(facts);
          if (index >= 0) features.splice(index, 1);
        },
      };
    },
    shown,
    idOf: names.idOf,
    slugOf: names.slugOf,
    tell: (event) => {
      names.take(event);
      passFrom(event, features);
      if (event.kind === 'removed') names.forget(event.slug);
    },
    onEvent: faces.on,
  };
}
