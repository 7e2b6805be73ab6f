import type {
  SocketListener,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from '../../src/client/index.ts';
import type { StreamCommand, StreamFrame } from '../../src/protocol/index.ts';

/** The server's end of a WebSocket in memory. */
export class MemorySocket {
  readonly sent: StreamCommand[] = [];
  isClosed = false;
  readonly #listener: SocketListener;

  constructor(listener: SocketListener) {
    this.#listener = listener;
  }

  open(): void {
    this.#listener.onOpen();
  }

  say(frame: StreamFrame | string): void {
    this.#listener.onMessage(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  end(failure: Error | null = null): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#listener.onClose(failure);
  }
}

/** A transport with the test at its other end. */
export class MemoryTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly sockets: MemorySocket[] = [];
  readonly opened: { path: string; protocols: readonly string[] }[] = [];
  /** returns the answer to the next requests */
  answer: () => { status: number; body: string } = () => ({ status: 200, body: 'null' });

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const { status, body } = this.answer();
    return {
      status,
      text: async () => body,
      bytes: async function* () {
        yield Buffer.from(body);
      },
    };
  }

  connect(path: string, protocols: readonly string[], listener: SocketListener): TransportSocket {
    const socket = new MemorySocket(listener);
    this.sockets.push(socket);
    this.opened.push({ path, protocols });
    return {
      send: (text) => void socket.sent.push(JSON.parse(text)),
      close: () => socket.end(),
    };
  }

  /** The newest connection. */
  get socket(): MemorySocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('nobody has connected');
    return socket;
  }
}

/** Timers that fire when the test requests it. */
export class ManualTimers {
  readonly waiting: { callback: () => void; delayMs: number }[] = [];

  start = (callback: () => void, delayMs: number): (() => void) => {
    const timer = { callback, delayMs };
    this.waiting.push(timer);
    return () => void this.waiting.splice(this.waiting.indexOf(timer), 1);
  };

  /** Lets the next timer fire, and returns its delay. */
  pass(): number {
    const timer = this.waiting.shift();
    if (timer === undefined) throw new Error('no timer runs');
    timer.callback();
    return timer.delayMs;
  }
}
