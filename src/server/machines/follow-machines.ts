import type { CatalogueError, MachineSessions, Member, Right, Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import { type FleetFrame, type FleetListener, type MachineFrame, machineText } from '../stream/other-machines.ts';
import { causeOf } from './reach.ts';

/**
 * The pause between two requests to the same machine. Given this pause and the time limit for an answer, a row that is
 * shown as current is at most about four seconds old. If nothing has changed on a machine, a request costs only one
 * small message.
 */
const LOOK_EVERY_MS = 2_000;
/**
 * Into how many parts the machines are divided. The parts are asked one after another, because a server needs 30 ms for
 * requests to a hundred machines, and each change that arrives in that time would wait.
 */
const MOST_PARTS = 10;

export interface FollowMachinesOptions {
  others(): readonly Member[];
  /** Requests the sessions of a machine. @returns the error if the request failed; null otherwise */
  look(member: Member): Promise<CatalogueError | null>;
  sessionsOf(id: string): Pick<MachineSessions, 'sessions' | 'unreadable' | 'age_ms' | 'may' | 'live'>;
  clock: Clock;
}

/**
 * Reports changes on the other machines to the clients that follow the fleet. While no client follows the fleet, no
 * requests are sent.
 */
export interface MachineFollowers {
  /** Adds a listener, which is first called with everything that is known. */
  follow(listener: FleetListener): Dispose;
  /** Call this when a machine has sent its sessions. */
  noteRows(member: Member): void;
  /** Call this when the members of the fleet or the state of the connection have changed. */
  lookNow(): void;
  dispose(): void;
}

/** The result of the last request to a machine. */
interface Seen {
  failure: CatalogueError | null;
  frame: MachineFrame;
}

export function createMachineFollowers(options: FollowMachinesOptions): MachineFollowers {
  const { others, clock } = options;
  const listeners = new Set<FleetListener>();
  const seen = new Map<string, Seen>();
  const looking = new Set<string>();
  let stopTimer: Dispose | null = null;

  const fleetFrame = (): FleetFrame => ({ type: 'fleet', machines: others().map(({ name }) => name) });
  const machineFrame = ({ id, name }: Member, failure: CatalogueError | null): MachineFrame => {
    const known = options.sessionsOf(id);
    return { type: 'machine', machine: name, is_self: false, ...known, ...stateOf(failure, known.may) };
  };
  const tell = (frame: FleetFrame): void => {
    for (const listener of listeners) listener(frame);
  };
  const tellIfChanged = (member: Member, failure: CatalogueError | null): void => {
    if (listeners.size === 0) return;
    const frame = machineFrame(member, failure);
    const last = seen.get(member.id);
    seen.set(member.id, { failure, frame });
    if (last === undefined || !showsSame(last.frame, frame)) tell(frame);
  };

  async function lookAt(member: Member): Promise<void> {
    if (looking.has(member.id)) return;
    looking.add(member.id);
    try {
      const failure = await options.look(member);
      if (others().some(({ id }) => id === member.id)) tellIfChanged(member, failure);
    } finally {
      looking.delete(member.id);
    }
  }

  function lookNow(): void {
    stopTimer?.();
    stopTimer = null;
    if (listeners.size === 0) return;
    tell(fleetFrame());
    for (const member of others()) void lookAt(member);
    lookLater(0);
  }

  function lookLater(part: number): void {
    const parts = Math.max(1, Math.min(MOST_PARTS, others().length));
    stopTimer = clock.after(LOOK_EVERY_MS / parts, () => {
      for (const [index, member] of others().entries()) if (index % parts === part) void lookAt(member);
      lookLater((part + 1) % parts);
    });
  }

  return {
    follow: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) {
        // Results that were requested for earlier followers may be outdated.
        seen.clear();
        lookNow();
      } else {
        listener(fleetFrame());
        for (const member of others()) {
          const last = seen.get(member.id);
          if (last !== undefined) listener(machineFrame(member, last.failure));
        }
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopTimer?.();
        stopTimer = null;
      };
    },
    noteRows: (member) => {
      const last = seen.get(member.id);
      // An unreachable machine counts as reachable again only once it has answered.
      if (last?.failure === null) tellIfChanged(member, null);
      else if (listeners.size > 0) void lookAt(member);
    },
    lookNow,
    dispose: () => {
      stopTimer?.();
      stopTimer = null;
      listeners.clear();
    },
  };
}

/**
 * Returns whether a machine's list is current. After a failure, the machine's earlier report about our rights is not
 * current either.
 */
export function stateOf(
  failure: CatalogueError | null,
  may: readonly Right[],
): Pick<MachineSessions, 'reachable' | 'fault' | 'cause' | 'may'> {
  if (failure === null) return { reachable: true, fault: null, cause: null, may: [...may] };
  return { reachable: false, fault: failure.message, cause: causeOf(failure), may: [] };
}

/** Compares what users see. A session that has not changed is still the same object (`peers.ts`). */
function showsSame(one: MachineFrame, other: MachineFrame): boolean {
  if (machineText(one) !== machineText(other) || one.sessions.length !== other.sessions.length) return false;
  return one.sessions.every((session, index) => {
    const now = other.sessions[index];
    return session === now || (now !== undefined && sessionText(session) === sessionText(now));
  });
}

function sessionText({ last_activity: _, status, ...session }: Session): string {
  const { unchanged_ms: __, quiet_ms: ___, ...rest } = status;
  return JSON.stringify({ ...session, status: rest });
}
