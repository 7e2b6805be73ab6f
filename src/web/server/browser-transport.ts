import {
  ConnectionLostError,
  errorFromResponse,
  type SocketListener,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportSocket,
  UnreachableError,
} from '../../client/index.ts';

/** So long a connection may say nothing before it is asked whether it still is one: a phone that slept does not know. */
const SILENCE_MS = 15_000;
/** So long the answer may take. */
const ANSWER_LIMIT_MS = 5_000;
/** Answered at once and by little: `{"type":"subscribed","sessions":[…]}`. */
const PROBE = JSON.stringify({ type: 'unsubscribe', sessions: [] });

/** Every connection that is open, to be asked at once when the page wakes up. */
const probes = new Set<() => void>();

/** Asks every open connection whether it still is one: the page was hidden, or the network was away. */
export function probeConnections(): void {
  for (const probe of probes) probe();
}

/** Reaches the server that this page came from; the cookie says who it is. */
export function browserTransport(): Transport {
  return { request, connect };
}

async function request(asked: TransportRequest): Promise<TransportResponse> {
  const response = await fetch(asked.path, {
    method: asked.method,
    headers: { ...asked.headers },
    body: asked.body,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw new UnreachableError('the server does not answer', { cause });
  });
  return {
    status: response.status,
    text: () =>
      response.text().catch((cause: unknown) => {
        throw new ConnectionLostError('the connection ended within the answer', { cause });
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
    throw new ConnectionLostError('the connection ended within the answer', { cause });
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function connect(path: string, protocols: readonly string[], listener: SocketListener): TransportSocket {
  const address = new URL(path, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, [...protocols]);
  let isOpen = false;
  let isOver = false;
  let timer = 0;
  let heardAt = 0;
  let isProbing = false;

  const end = (failure: Error | null): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    probes.delete(probe);
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
      end(new ConnectionLostError('the connection is silent'));
    }, ANSWER_LIMIT_MS);
  };
  /** Looks when the silence would be over: thousands of messages a second set no timers. */
  const watchSilence = (): void => {
    const leftMs = heardAt + SILENCE_MS - performance.now();
    if (leftMs <= 0) probe();
    else timer = window.setTimeout(watchSilence, leftMs);
  };

  socket.onopen = () => {
    isOpen = true;
    probes.add(probe);
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
    // A browser does not say why a WebSocket failed; a plain request does, a refused sign-in above all.
    void refusal().then(end);
  };
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}

/** Why the server would not have this page: its error, or that nobody answers. */
async function refusal(): Promise<Error> {
  try {
    const response = await fetch('/sign-in', { credentials: 'same-origin', cache: 'no-store' });
    if (response.status === 401) return errorFromResponse(response.status, await response.text());
    return new ConnectionLostError('the server closed the connection');
  } catch (cause) {
    return new UnreachableError('the server does not answer', { cause });
  }
}
