import {
  ConnectionLostError,
  errorFromResponse,
  type SocketListener,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportSocket,
} from '../../client/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { PASS_SUBPROTOCOL_PREFIX } from '../../protocol/index.ts';
import { dropPass, fetchOwn, fetchSignedIn, pass } from './pass.ts';

/**
 * How long a connection may be silent before the page checks whether it still works. After a phone has slept, nothing
 * else shows whether a connection does.
 */
const SILENCE_MS = 15_000;
/** How long the server may take to answer. */
const ANSWER_LIMIT_MS = 5_000;
/** The server immediately answers this with a short frame: `{"type":"subscribed","sessions":[…]}`. */
const PROBE = JSON.stringify({ type: 'unsubscribe', sessions: [] });

/** Fires when the page wakes up. Every open connection is then checked immediately. */
const wakings = new Emitter();

/** Checks every open connection, because the page was hidden or the network was lost. */
export function probeConnections(): void {
  wakings.tell();
}

/** The request that a page sends before it is signed in. */
const OPEN_REQUEST = 'POST /sign-in';

/** Reaches the server that served this page. The cookie and the pass identify the browser. */
export function browserTransport(): Transport {
  return { request, connect };
}

async function request({ method, path, headers, body }: TransportRequest): Promise<TransportResponse> {
  if (body !== null && typeof body !== 'string') throw new Error('the page sends files by itself');
  const send = `${method} ${path}` === OPEN_REQUEST ? fetchOwn : fetchSignedIn;
  const response = await send(path, { method, headers: { ...headers }, body });
  return {
    status: response.status,
    text: () =>
      response.text().catch((cause: unknown) => {
        throw new ConnectionLostError('the connection ended during the answer', { cause });
      }),
    bytes: () => readBody(response),
  };
}

async function* readBody(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw new ConnectionLostError('the connection ended during the answer', { cause });
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function connect(path: string, protocols: readonly string[], listener: SocketListener): TransportSocket {
  let opened: TransportSocket | null = null;
  let isClosed = false;
  pass().then(
    (shown) => {
      if (!isClosed) opened = open(path, [...protocols, 'cbos', `${PASS_SUBPROTOCOL_PREFIX}${shown}`], listener);
    },
    (failure: Error) => listener.onClose(failure),
  );
  return {
    send: (text) => opened?.send(text),
    close: () => {
      isClosed = true;
      opened?.close();
    },
  };
}

function open(path: string, protocols: string[], listener: SocketListener): TransportSocket {
  const address = new URL(path, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, protocols);
  let isOpen = false;
  let isOver = false;
  let timer = 0;
  let heardAt = 0;
  let isProbing = false;
  let stopListening = (): void => undefined;

  const end = (failure: Error | null): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    stopListening();
    listener.onClose(failure);
  };
  const probe = (): void => {
    if (!isOpen || isOver) return;
    socket.send(PROBE);
    clearTimeout(timer);
    isProbing = true;
    timer = window.setTimeout(() => {
      // Closing would wait for the other side, which is gone.
      socket.close();
      dropPass();
      end(new ConnectionLostError('the connection is silent'));
    }, ANSWER_LIMIT_MS);
  };
  /**
   * The timer is set for the moment when the silence would be too long, so that thousands of messages a second set no
   * timers.
   */
  const watchSilence = (): void => {
    const leftMs = heardAt + SILENCE_MS - performance.now();
    if (leftMs <= 0) probe();
    else timer = window.setTimeout(watchSilence, leftMs);
  };

  socket.onopen = () => {
    isOpen = true;
    stopListening = wakings.on(probe);
    heardAt = performance.now();
    watchSilence();
    listener.onOpen();
  };
  socket.onmessage = ({ data }) => {
    if (isOver) return;
    heardAt = performance.now();
    if (isProbing) {
      isProbing = false;
      clearTimeout(timer);
      watchSilence();
    }
    if (typeof data === 'string') listener.onMessage(data);
  };
  socket.onclose = () => {
    if (isOver) return;
    // Another program may be answering at this address by now.
    dropPass();
    // A browser does not report why a WebSocket failed. An ordinary request does, and the reason matters most for a
    // refused sign-in.
    void refusal().then(end);
  };
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}

/** Returns why the server refused this page: the server's error, or an error that says that nobody answers. */
async function refusal(): Promise<Error> {
  try {
    const response = await fetchSignedIn('/sign-in');
    if (response.status === 401) return errorFromResponse(response.status, await response.text());
    return new ConnectionLostError('the server closed the connection');
  } catch (failure) {
    return failure instanceof Error ? failure : new ConnectionLostError('the server closed the connection');
  }
}
