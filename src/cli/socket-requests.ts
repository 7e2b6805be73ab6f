import { request as httpRequest, type IncomingMessage } from 'node:http';
import {
  ConnectionLostError,
  type Dispose,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  UnreachableError,
} from '../client/index.ts';
import { CatalogueError, VERSION_HEADER } from '../protocol/index.ts';

/**
 * Both sides of the local socket are on one machine, so the name is only a formality. The server accepts this one.
 */
export const HOST = 'localhost';

/**
 * Node 20 would derive a name with a regular expression whose compilation takes 4 ms. A local socket does not need
 * one.
 */
const NO_SERVER_NAME = { servername: '' };

/**
 * How long to wait before checking the server, and how often to check it. A server answers in milliseconds, or takes
 * as long as the request requires.
 */
const LOOK_EVERY_MS = 1_000;
/**
 * How many times in a row the server must be seen stopped. A debugger, or a person who hesitates, stops it for a
 * moment.
 */
const STOPPED_LOOKS = 2;

/**
 * Throws if the server's process is stopped. The kernel then still accepts connections for it, but nobody ever
 * answers.
 */
export type RequireNotStopped = () => Promise<void>;

/**
 * Sends the requests of `socketTransport`, without the parts that WebSockets need.
 * @param socketPath absolute
 * @param onAnswer called with the server's version for each answer, or null if the answer does not contain it
 */
export function socketRequests(
  socketPath: string,
  requireNotStopped: RequireNotStopped = async () => undefined,
  onAnswer: (version: string | null) => void = () => undefined,
): Pick<Transport, 'request'> {
  return { request: (request) => requestOverSocket({ socketPath, requireNotStopped, onAnswer }, request) };
}

/** Watches until it is disposed of. @param onStopped called once, with the error that reports it */
export function watchForStop(requireNotStopped: RequireNotStopped, onStopped: (error: Error) => void): Dispose {
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

export interface LocalServer {
  socketPath: string;
  requireNotStopped: RequireNotStopped;
  onAnswer?: (version: string | null) => void;
}

export function requestOverSocket(
  { socketPath, requireNotStopped, onAnswer }: LocalServer,
  request: TransportRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const body = request.body === null ? null : Buffer.from(request.body);
    const mayHaveBody = request.method !== 'GET';
    const outgoing = httpRequest({
      socketPath,
      method: request.method,
      path: request.path,
      ...NO_SERVER_NAME,
      // No connection is kept, because a command line sends one or two requests and must then end at once.
      agent: false,
      headers: {
        host: HOST,
        ...request.headers,
        // The header is sent even without a body. Node omits it for DELETE, and a server would then have to read to
        // find out.
        ...(mayHaveBody ? { 'content-length': String(body?.byteLength ?? 0) } : {}),
      },
    });
    const stopWatching = watchForStop(requireNotStopped, (error) => outgoing.destroy(error));
    outgoing.once('response', (incoming) => {
      stopWatching();
      const version = incoming.headers[VERSION_HEADER];
      onAnswer?.(typeof version === 'string' ? version : null);
      resolve(toResponse(incoming));
    });
    outgoing.once('error', (cause: NodeJS.ErrnoException) => {
      stopWatching();
      reject(toTransportError(cause));
    });
    outgoing.end(body ?? undefined);
  });
}

export function toResponse(incoming: IncomingMessage): TransportResponse {
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

/** The system's error codes if no server listens: no file, no listener, or no such directory. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

export function toTransportError(cause: NodeJS.ErrnoException): Error {
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
