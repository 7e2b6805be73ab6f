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
 * Both sides of the local socket are on one machine, so the name is a matter of form; it is one that the server knows.
 */
export const HOST = 'localhost';

/** Node 20 works one out with a regular expression whose compilation takes 4 ms; no local socket needs it. */
const NO_SERVER_NAME = { servername: '' };

/**
 * A server that is asked answers in milliseconds, or takes as long as what it was asked for. After so long, and then as
 * often, it is looked at.
 */
const LOOK_EVERY_MS = 1_000;
/** How often in a row it must be seen stopped: a debugger, or a person who hesitates, stops it for a moment. */
const STOPPED_LOOKS = 2;

/** Throws where the server's process is stopped: the kernel takes connections for it, and nobody ever answers. */
export type RequireNotStopped = () => Promise<void>;

/**
 * The requests of `socketTransport`, without what WebSockets need.
 * @param socketPath absolute
 * @param onAnswer told the server's version with each answer, null where it does not say it
 */
export function socketRequests(
  socketPath: string,
  requireNotStopped: RequireNotStopped = async () => undefined,
  onAnswer: (version: string | null) => void = () => undefined,
): Pick<Transport, 'request'> {
  return { request: (request) => requestOverSocket({ socketPath, requireNotStopped, onAnswer }, request) };
}

/** Until it is disposed of. @param onStopped told once, with the error that says so */
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

/** What the system says where no server listens: no file, nobody behind it, no directory of that name. */
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
