import type { FleetFrame } from '../machines/follow-machines.ts';
import type { Dispose } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import type { StreamClientOptions } from './stream-client-options.ts';

/**
 * Sends changes on the other machines to one client. If the client is slow, it gets only the newest list of each
 * machine, and none of the lists in between.
 */
export class FleetSubscription {
  readonly #socket: ClientSocket;
  /**
   * the frames to send when the connection has drained, by machine; the list of machines itself has the empty string as
   * its key
   */
  readonly #due = new Map<string, FleetFrame>();
  #stop: Dispose | null = null;
  #isDisposed = false;

  /** @param onRefused called if the client has no right to follow the fleet */
  constructor(
    socket: ClientSocket,
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

  /** Sends the pending frames. */
  resume(): void {
    for (const [name, frame] of this.#due) {
      if (this.#socket.isFull()) return;
      this.#due.delete(name);
      this.#socket.send(frame);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#due.clear();
    this.#stop?.();
  }
}
