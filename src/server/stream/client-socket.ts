import type { RawData, WebSocket } from 'ws';
import { Emitter } from '../../emitter/emitter.ts';

/** How much unsent data makes a connection full: the client does not read as fast as the sessions write. */
export const HIGH_WATER_BYTES = 1024 * 1024;

/**
 * A full connection is free again when it holds no more than this: enough that the socket does not run dry meanwhile.
 */
const LOW_WATER_BYTES = 256 * 1024;

/**
 * What may not be left out (results, changes of sessions) piles up to this at most, then the connection ends; its
 * client comes back.
 */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** One client's WebSocket, with what it holds unsent in view. */
export class ClientSocket {
  readonly #ws: WebSocket;
  readonly #mayAct: () => boolean;
  readonly #drained = new Emitter();
  #full = false;

  /** @param mayAct asked before each frame of the client's is taken: what opened the connection may hold no more */
  constructor(ws: WebSocket, mayAct: () => boolean) {
    this.#ws = ws;
    this.#mayAct = mayAct;
    this.onClosed(() => this.#drained.clear());
  }

  /** Sends a frame: an object, or its JSON as bytes where several clients get the same. */
  send(frame: object | Buffer): void {
    const ws = this.#ws;
    if (ws.readyState !== ws.OPEN) return;
    if (ws.bufferedAmount > LIMIT_BYTES) {
      ws.terminate();
      return;
    }
    const data = Buffer.isBuffer(frame) ? frame : JSON.stringify(frame);
    ws.send(data, { binary: false }, () => this.#sent());
  }

  /** True from the high to the low water mark: send nothing then that can be sent later. */
  isFull(): boolean {
    if (this.#ws.bufferedAmount > HIGH_WATER_BYTES) this.#full = true;
    return this.#full;
  }

  /** Told when a connection that was found full is free again. */
  readonly onDrained = this.#drained.on;

  /** Text frames as they come; a binary frame is told as null. */
  onText(listener: (text: string | null) => void): void {
    this.#ws.on('message', (data: RawData, isBinary: boolean) => {
      if (this.#mayAct()) listener(isBinary ? null : data.toString());
    });
  }

  onClosed(listener: () => void): void {
    this.#ws.once('close', listener);
  }

  #sent(): void {
    if (!this.#full || this.#ws.bufferedAmount > LOW_WATER_BYTES) return;
    this.#full = false;
    this.#drained.tell();
  }
}
