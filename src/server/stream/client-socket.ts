import type { RawData, WebSocket } from 'ws';
import { Emitter } from '../../emitter/emitter.ts';

/** How much unsent data makes a connection full. The client is then reading more slowly than the sessions write. */
export const HIGH_WATER_BYTES = 1024 * 1024;

/**
 * How far the unsent data of a full connection must drop before more is sent. This much keeps the socket from running
 * dry while the client reads.
 */
const LOW_WATER_BYTES = 256 * 1024;

/**
 * How much undroppable data (results, changes in sessions) may pile up. Beyond this limit, the connection ends and its
 * client reconnects.
 */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** The WebSocket of one client. The WebSocket knows how much unsent data it holds. */
export class ClientSocket {
  readonly #ws: WebSocket;
  readonly #mayAct: () => boolean;
  readonly #drained = new Emitter();
  #full = false;

  /**
   * @param mayAct called before each of the client's frames is accepted, because its token or sign-in may no longer be
   *   valid
   */
  constructor(ws: WebSocket, mayAct: () => boolean) {
    this.#ws = ws;
    this.#mayAct = mayAct;
    this.onClosed(() => this.#drained.clear());
  }

  /** Sends a frame: an object, or its JSON as bytes if several clients get the same frame. */
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
   * True between reaching the high and dropping to the low water mark. While it is true, do not send anything that can
   * be sent later.
   */
  isFull(): boolean {
    if (this.#ws.bufferedAmount > HIGH_WATER_BYTES) this.#full = true;
    return this.#full;
  }

  /** Called when a connection that was full accepts data again. */
  readonly onDrained = this.#drained.on;

  /** Called with text frames as they arrive, and with null for a binary frame. */
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
