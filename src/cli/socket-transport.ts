import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';
import {
  ConnectionLostError,
  type Dispose,
  errorFromResponse,
  type SocketListener,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportSocket,
  UnreachableError,
} from '../client/index.ts';
import { CatalogueError } from '../protocol/index.ts';

/**
 * Both sides of the local socket are on one machine, so the name is a matter of form; it is one that the server knows.
 */
const HOST = 'localhost';

/** A snapshot of a large scrollback is one frame; more than this is no frame of ours. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/** How long a server may take to answer a WebSocket's close. */
const CLOSE_GRACE_MS = 500;

/**
 * A server that is asked answers in milliseconds, or takes as long as what it was asked for. After so long, and then as
 * often, it is looked at.
 */
const LOOK_EVERY_MS = 1_000;
/** How often in a row it must be seen stopped: a debugger, or a person who hesitates, stops it for a moment. */
const STOPPED_LOOKS = 2;

/** Throws where the server's process is stopped: the kernel takes connections for it, and nobody ever answers. */
export type RequireNotStopped = () => Promise<void>;

/** Reaches the server over its local socket, where the file's mode is the authentication. @param socketPath absolute */
export function socketTransport(
  socketPath: string,
  requireNotStopped: RequireNotStopped = async () => undefined,
): Transport {
  return {
    request: (request) => requestOverSocket({ socketPath, requireNotStopped }, request),
    connect: (path, protocols, listener) =>
      connectOverSocket({ socketPath, requireNotStopped, path, protocols, listener }),
  };
}

/** Until it is disposed of. @param onStopped told once, with the error that says so */
function watchForStop(requireNotStopped: RequireNotStopped, onStopped: (error: Error) => void): Dispose {
  let seen = 0;
  const timer = setInterval(() => {
    requireNotStopped().then(
      () => {
        seen = 0;
      },
      (error: Error) => {
        seen += 1;
        if (seen === STOPPED_LOOKS) onStopped(error);
      },
    );
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

interface LocalServer {
  socketPath: string;
  requireNotStopped: RequireNotStopped;
}

function requestOverSocket(
  { socketPath, requireNotStopped }: LocalServer,
  request: TransportRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const body = request.body === null ? null : Buffer.from(request.body);
    const mayHaveBody = request.method !== 'GET';
    const outgoing = httpRequest({
      socketPath,
      method: request.method,
      path: request.path,
      // No connection is kept: a command line makes a request or two, and must end at once.
      agent: false,
      headers: {
        host: HOST,
        ...request.headers,
        // Said also where there is none: Node says nothing for DELETE, and a server must then read to find out.
        ...(mayHaveBody ? { 'content-length': String(body?.byteLength ?? 0) } : {}),
      },
    });
    const stopWatching = watchForStop(requireNotStopped, (error) => outgoing.destroy(error));
    outgoing.once('response', (incoming) => {
      stopWatching();
      resolve(toResponse(incoming));
    });
    outgoing.once('error', (cause: NodeJS.ErrnoException) => {
      stopWatching();
      reject(toTransportError(cause));
    });
    outgoing.end(body ?? undefined);
  });
}

function toResponse(incoming: IncomingMessage): TransportResponse {
  return {
    status: incoming.statusCode ?? 0,
    async text() {
      const parts: Uint8Array[] = [];
      for await (const part of readBody(incoming)) parts.push(part);
      return Buffer.concat(parts).toString('utf8');
    },
    bytes: () => readBody(incoming),
  };
}

async function* readBody(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of incoming) yield part as Uint8Array;
  } catch (cause) {
    throw new ConnectionLostError('the connection ended within the answer', { cause });
  }
}

interface SocketRequest extends LocalServer {
  path: string;
  protocols: readonly string[];
  listener: SocketListener;
}

function connectOverSocket({
  socketPath,
  requireNotStopped,
  path,
  protocols,
  listener,
}: SocketRequest): TransportSocket {
  // Not `ws+unix:PATH:/…`: a path with a colon, a blank or a percent sign would be taken apart wrongly.
  const socket = new WebSocket(`ws://${HOST}${path}`, [...protocols], {
    createConnection: () => connectSocket(socketPath),
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  let failure: Error | null = null;
  const stopWatching = watchForStop(requireNotStopped, (error) => {
    failure = error;
    socket.terminate();
  });
  socket.on('open', () => {
    stopWatching();
    listener.onOpen();
  });
  socket.on('message', (data, isBinary) => {
    if (!isBinary) listener.onMessage(String(data));
  });
  socket.on('unexpected-response', (_, response) => {
    void refusal(response).then((error) => {
      failure = error;
      socket.terminate();
    });
  });
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    failure ??= toTransportError(cause);
  });
  socket.on('close', () => {
    stopWatching();
    listener.onClose(failure);
  });
  return {
    send: (text) => {
      // Between the loss of a connection and its event a send would throw; what is lost then is told by `onClose`.
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close() {
      socket.close();
      // A server that hangs would not answer the close, and the command line could not end.
      setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
    },
  };
}

/** The server answered the upgrade with an error of REST. */
async function refusal(response: IncomingMessage): Promise<Error> {
  try {
    return errorFromResponse(response.statusCode ?? 0, await toResponse(response).text());
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What the system says where no server listens: no file, nobody behind it, no directory of that name. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

function toTransportError(cause: NodeJS.ErrnoException): Error {
  if (UNREACHABLE.has(cause.code)) return new UnreachableError('nobody listens on the local socket', { cause });
  if (cause.code === 'ECONNRESET' || cause.code === 'EPIPE') {
    return new ConnectionLostError('the connection ended before the answer', { cause });
  }
  if (cause.code === 'EACCES' || cause.code === 'EPERM') {
    return new CatalogueError('no_server', 'The local socket of the server may not be opened', {
      hint: 'Run cbos as the user who started the server',
      cause,
    });
  }
  return cause;
}
