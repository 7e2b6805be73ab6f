import type { Dispose } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import { type FleetFrame, type MachineFrame, machineText } from './other-machines.ts';
import type { StreamClientOptions } from './stream-client-options.ts';

/**
 * Sends changes on the other machines to one client. If the client is slow, it gets only the newest list of each
 * machine, and none of the lists in between.
 */
export class FleetSubscription {
  readonly #socket: Pick<ClientSocket, 'isFull' | 'send'>;
  /**
   * the frames to send when the connection has drained, by machine; the list of machines itself has the empty string as
   * its key
   */
  readonly #due = new Map<string, FleetFrame>();
  /** what the client knows of each machine */
  readonly #sent = new Map<string, MachineFrame>();
  #takesChanges = false;
  #stop: Dispose | null = null;
  #isDisposed = false;

  /** @param onRefused called if the client has no right to follow the fleet */
  constructor(
    socket: Pick<ClientSocket, 'isFull' | 'send'>,
    { followFleet }: Pick<StreamClientOptions, 'followFleet'>,
    onRefused: (error: unknown) => void,
  ) {
    this.#socket = socket;
    const take = (frame: FleetFrame): void => {
      this.#due.set(frame.type === 'fleet' ? '' : frame.machine, frame);
      this.resume();
    };
    followFleet(take).then((stop) => {
      if (this.#isDisposed) stop();
      else this.#stop = stop;
    }, onRefused);
  }

  /** From now on, sends only what has changed on a machine, where that is possible. */
  sendChanges(): void {
    this.#takesChanges = true;
  }

  /** Sends the pending frames. */
  resume(): void {
    for (const [name, frame] of this.#due) {
      if (this.#socket.isFull()) return;
      this.#due.delete(name);
      this.#socket.send(this.#asSent(frame));
    }
  }

  #asSent(frame: FleetFrame): FleetFrame {
    if (frame.type === 'fleet') {
      for (const machine of this.#sent.keys()) if (!frame.machines.includes(machine)) this.#sent.delete(machine);
      return { ...frame, changes: true };
    }
    const last = this.#sent.get(frame.machine);
    this.#sent.set(frame.machine, frame);
    return last !== undefined && this.#takesChanges ? (changeOf(last, frame) ?? frame) : frame;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#due.clear();
    this.#stop?.();
  }
}

/**
 * Returns a frame with only the sessions that have changed, or null if more than sessions has changed. The age of an
 * unreachable machine's sessions is news of all of them.
 */
function changeOf(last: MachineFrame, next: MachineFrame): MachineFrame | null {
  if (!next.reachable || machineText(last) !== machineText(next)) return null;
  const known = new Set(last.sessions);
  const listed = new Set(next.sessions.map(({ slug }) => slug));
  return {
    ...next,
    sessions: next.sessions.filter((session) => !known.has(session)),
    change: { removed: last.sessions.flatMap(({ slug }) => (listed.has(slug) ? [] : [slug])) },
  };
}
