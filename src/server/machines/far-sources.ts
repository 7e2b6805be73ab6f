import { canBeWatched } from '../../core/machines/index.ts';
import type { CatalogueError, EventsPage, Member, Session, StoredEvent, WireVersion } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import type { LiveRecording } from '../stream/live-recording.ts';
import type { Question } from './ask-machine.ts';
import { farEvents } from './far-events.ts';
import { farRecording } from './far-recording.ts';
import type { FarWatches } from './far-watches.ts';
import { readScreens } from './read-screens.ts';

/** Hears what a session on another machine shows, for all clients together. */
export interface FarListener {
  /** whether any client can take output now */
  isWanted(): boolean;
  onResized(size: { cols: number; rows: number }): void;
  /** called with new events of a JSON session, in order */
  onEvents(events: readonly StoredEvent[]): void;
  /** called when the session can no longer be followed, because the session or its machine no longer exists */
  onEnded(error: CatalogueError): void;
}

/** The events of a JSON session on another machine. */
export interface FarEvents {
  /** @throws CatalogueError if the owner refuses, or the last client has left */
  read(after: number): Promise<EventsPage>;
  leave(): void;
}

export type FarSource = { of: 'terminal'; recording: LiveRecording } | { of: 'events'; events: FarEvents };

export interface FarSourceOptions {
  member: Member;
  slug: string;
  /** the session's row in its machine's list; undefined if that list is not known yet */
  row: Session | undefined;
  version: WireVersion | null;
  watches: FarWatches;
  ask(member: Member, question: Question): Promise<unknown>;
  clock: Clock;
  listener: FarListener;
}

/** How often to read the screen of a session whose machine cannot be watched, because it runs an older version. */
const READ_EVERY_MS = 1_000;

/** Follows a session on another machine. This is the only place that decides how. */
export function openFarSource(options: FarSourceOptions): FarSource {
  const { row, version, clock } = options;
  if (version !== null && !canBeWatched(version)) {
    const every = (read: () => void): Dispose => clock.after(READ_EVERY_MS, read);
    return { of: 'terminal', recording: readScreens({ ...options, again: every }) };
  }
  if (row?.type === 'json') return { of: 'events', events: farEvents(options) };
  return { of: 'terminal', recording: farRecording(options) };
}
