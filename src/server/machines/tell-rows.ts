import type { Clock } from '../clock.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';

/**
 * The shortest time between two messages. Even a machine with fifty busy sessions therefore sends only four lists a
 * second.
 */
const PAUSE_MS = 250;

/** The event that changes no row of the list. */
const QUIET: SessionEvent['kind'] = 'events';

export interface RowTeller {
  now(): void;
  /** returns how often the list has changed since the server started */
  revision(): number;
  dispose: Dispose;
}

/**
 * Sends the list of sessions to the other machines whenever it changes. The first change is sent immediately, and
 * further changes are sent together.
 */
export function tellRows(options: { sessions: Pick<Sessions, 'onEvent'>; clock: Clock; tell(): void }): RowTeller {
  const { clock, tell } = options;
  let stopPause: Dispose | null = null;
  let isChanged = false;
  let revision = 0;

  const now = (): void => {
    isChanged = false;
    tell();
    stopPause?.();
    stopPause = clock.after(PAUSE_MS, () => {
      stopPause = null;
      if (isChanged) now();
    });
  };
  const stopListening = options.sessions.onEvent((event) => {
    if (event.kind === QUIET) return;
    isChanged = true;
    revision += 1;
    if (stopPause === null) now();
  });
  return {
    now,
    revision: () => revision,
    dispose: () => {
      stopListening();
      stopPause?.();
    },
  };
}
