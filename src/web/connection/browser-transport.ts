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
 * How long a connection may be silent before the page checks whether it still works. After a phone has been asleep,
 * there is no other way to find out.
 */
const SILENCE_MS = 15_000;
/** How long to wait for the server's response to this check. */
const ANSWER_LIMIT_MS = 5_000;
/**
 * The frame with which the page checks a connection. The server immediately responds with a short frame:
 * `{"type":"subscribed","sessions":[…]}`.
 */
const PROBE = JSON.stringify({ type: 'unsubscribe', sessions: [] });

/** Fires when the page wakes up, which makes it check all open connections immediately. */
const wakings = new Emitter();

/** Checks all open connections. Call this after the page was hidden or the network was lost. */
export function probeConnections(): void {
  wakings.tell();
}

/** The only request that a page sends before it is signed in. */
const OPEN_REQUEST = 'POST /sign-in';

/** Connects to the server from which this page was loaded. The cookie and the pass identify the browser. */
export function browserTransport(): Transport {
  return { request, connect };
}

async function request({ method, path, headers, body }: TransportRequest): Promise<TransportResponse> {
  if (body !== null && typeof body !== 'string') throw new Error('the page itself sends files');
  const send = `${method} ${path}` === OPEN_REQUEST ? fetchOwn : fetchSignedIn;
  const response = await send(path, { method, headers: { ...headers }, body });
  return {
    status: response.status,
    text: () =>
      response.text().catch((cause: unknown) => {
        throw new ConnectionLostError('the connection was closed before the answer was complete', { cause });
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
    throw new ConnectionLostError('the connection was closed before the answer was complete', { cause });
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
      // Closing the socket would wait for the other side, which is gone.
      socket.close();
      dropPass();
      end(new ConnectionLostError('the server sent nothing for too long'));
    }, ANSWER_LIMIT_MS);
  };
  /**
   * The timer runs until the silence would be too long, instead of being set again for each of thousands of messages
   * per second.
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
    // By now, another program may be listening at this address.
    dropPass();
    // Browsers do not report why a WebSocket failed, so an ordinary request is sent to find out. The reason matters
    // most if the sign-in was refused.
    void refusal().then(end);
  };
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}

/** Returns why the page could not connect: the server's error, or an error that says that no server responds. */
async function refusal(): Promise<Error> {
  try {
    const response = await fetchSignedIn('/sign-in');
    if (response.status === 401) return errorFromResponse(response.status, await response.text());
    return new ConnectionLostError('the server closed the connection');
  } catch (failure) {
    return failure instanceof Error ? failure : new ConnectionLostError('the server closed the connection');
  }
}
