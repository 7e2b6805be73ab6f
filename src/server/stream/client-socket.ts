import type { RawData, WebSocket } from 'ws';
import { Emitter } from '../../emitter/emitter.ts';

/**
 * How many unsent bytes make a connection count as full. The client is then reading more slowly than the sessions
 * write.
 */
export const HIGH_WATER_BYTES = 1024 * 1024;

/**
 * How few unsent bytes a full connection must have before more is sent. This is enough to keep the socket busy until
 * then.
 */
const LOW_WATER_BYTES = 256 * 1024;

/**
 * How many unsent bytes may accumulate from frames that cannot be dropped, such as results and changes in sessions.
 * Beyond this limit, the connection is closed, and the client must reconnect.
 */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** The WebSocket of one client. It keeps track of how much data is still unsent. */
export class ClientSocket {
  readonly #ws: WebSocket;
  readonly #mayAct: () => boolean;
  readonly #drained = new Emitter();
  #full = false;

  /**
   * @param mayAct called before each frame from the client is accepted, because the client's token or sign-in may no
   * longer be valid
   */
  constructor(ws: WebSocket, mayAct: () => boolean) {
    this.#ws = ws;
    this.#mayAct = mayAct;
    this.onClosed(() => this.#drained.clear());
  }

  /** Sends a frame, given as an object, or as the bytes of its JSON if several clients get the same frame. */
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

  /**
   * Returns true from the moment the unsent data exceeds the high-water mark until it has dropped to the low-water
   * mark. In this state, do not send anything that can be sent later.
   */
  isFull(): boolean {
    if (this.#ws.bufferedAmount > HIGH_WATER_BYTES) this.#full = true;
    return this.#full;
  }

  /** Calls the listener when a connection that was full accepts data again. */
  readonly onDrained = this.#drained.on;

  /** Calls the listener with each text frame that arrives, and with null for a binary frame. */
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
