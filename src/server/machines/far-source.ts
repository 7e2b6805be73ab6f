import type { CatalogueError, EventsPage, Member, Session, StoredEvent, WireVersion } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { LiveRecording } from '../stream/live-recording.ts';
import type { Question } from './ask-machine.ts';
import type { FarWatches } from './far-watches.ts';

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
  /** whether a machine is still in the fleet */
  isMember(id: Member['id']): boolean;
  ask(member: Member, question: Question): Promise<unknown>;
  clock: Clock;
  listener: FarListener;
}
