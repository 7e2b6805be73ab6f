import type { Clock } from '../clock.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';

/** The shortest time between two messages. A machine with fifty busy sessions then sends four lists a second. */
const PAUSE_MS = 250;

/** What does not change a row of the list. */
const QUIET: ReadonlySet<SessionEvent['kind']> = new Set<SessionEvent['kind']>(['events', 'resized']);

/** Tells the other machines whenever the list of sessions changes: the first change at once, further ones together. */
export function tellRows(options: { sessions: Pick<Sessions, 'onEvent'>; clock: Clock; tell(): void }): {
  now(): void;
  dispose: Dispose;
} {
  const { clock, tell } = options;
  let stopPause: Dispose | null = null;
  let isChanged = false;

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
    if (QUIET.has(event.kind)) return;
    isChanged = true;
    // The event is told while the change is made.
    if (stopPause === null) now();
  });
  return {
    now,
    dispose: () => {
      stopListening();
      stopPause?.();
    },
  };
}
