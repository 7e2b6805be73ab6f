import type { CatalogueError, EventsPage, RemoteName, StoredEvent, StreamFrame } from '../../protocol/index.ts';
import type { Dispose } from '../sessions.ts';
import type { LiveRecording } from './live-recording.ts';

/** The other machines in the fleet, as the stream needs them. */
export interface OtherMachines {
  /** Reports the sessions of the other machines and each change, even in a fleet that this machine joins later. */
  follow(listener: FleetListener): Dispose;
  /**
   * Resolves when the kind of a session on another machine is known, so that `watch` knows how to follow it.
   * @throws CatalogueError no_fleet, fleet_not_ready, no_such_machine
   */
  ready(name: RemoteName): Promise<void>;
  /**
   * Follows what a session on another machine shows.
   * @throws CatalogueError no_fleet, fleet_not_ready, no_such_machine, no_such_session
   */
  watch(name: RemoteName, listener: FarListener): FarSource;
}

export type FleetFrame = Extract<StreamFrame, { type: 'fleet' | 'machine' }>;
export type FleetListener = (frame: FleetFrame) => void;

/** Reports the sessions of another machine to a client. */
export type MachineFrame = Extract<StreamFrame, { type: 'machine' }>;

/** Returns what a frame says about the machine itself, without the age, which is different in every frame. */
export function machineText({ age_ms: _, sessions: __, ...machine }: MachineFrame): string {
  return JSON.stringify(machine);
}

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
