import type { Socket } from 'node:net';
import {
  ConnectionLostError,
  type Dispose,
  type StreamedBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  UnreachableError,
} from '../client/index.ts';
import { CatalogueError, VERSION_HEADER } from '../protocol/index.ts';
import { type AnswerReader, createAnswerReader } from './http-answer.ts';

/**
 * HTTP requires a host name, although both ends of the local socket are on this machine. The server accepts this one.
 */
export const HOST = 'localhost';

/**
 * How long to wait before checking whether the server is stopped, and how often to check. A server usually answers
 * within milliseconds, but some requests take longer.
 */
const LOOK_EVERY_MS = 1_000;
/**
 * How many consecutive checks must find the server stopped. A debugger may stop it for just a moment, and so may a user
 * who presses Ctrl-Z by mistake.
 */
const STOPPED_LOOKS = 2;

/**
 * Throws if the server's process is stopped. In that case, the kernel still accepts connections, but nothing ever
 * answers them.
 */
export type RequireNotStopped = () => Promise<void>;

/**
 * Sends requests like `socketTransport`, but without the parts that WebSockets need.
 * @param socketPath the absolute path of the socket
 * @param onAnswer called for each response with the server's version, or with null if the response does not contain it
 */
export function socketRequests(
  socketPath: string,
  requireNotStopped: RequireNotStopped = async () => undefined,
  onAnswer: (version: string | null) => void = () => undefined,
): Pick<Transport, 'request'> {
  return { request: (request) => requestOverSocket({ socketPath, requireNotStopped, onAnswer }, request) };
}

/**
 * Watches until the returned disposer is called. @param onStopped called once, with the error that says that the server
 * is stopped
 */
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

/**
 * Sends one request on its own connection, which the server closes after the response. A command sends one or two
 * requests, and an open connection would keep it from exiting immediately.
 */
async function requestOverSocket(
  { socketPath, requireNotStopped, onAnswer }: LocalServer,
  request: TransportRequest,
): Promise<TransportResponse> {
  // Node takes 2 ms to load its sockets, and `cbos --version` needs none.
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const reader = createAnswerReader(request.method);
    const socket = connect(socketPath);
    const stopWatching = watchForStop(requireNotStopped, (error) => socket.destroy(error));
    const settle = (): void => {
      stopWatching();
      // A later failure is reported to whoever reads the body. Without this listener, it would end the process.
      socket.off('data', onData).off('end', onEnd).off('error', fail).on('error', ignore);
    };
    const fail = (cause: Error): void => {
      settle();
      socket.destroy();
      reject(toTransportError(cause));
    };
    const onData = (bytes: Buffer): void => {
      try {
        const body = reader.read(bytes);
        const head = reader.head();
        if (head === null) return;
        settle();
        socket.pause();
        onAnswer?.(head.headers.get(VERSION_HEADER) ?? null);
        resolve(toResponse(head.status, { socket, reader, body }));
      } catch (error) {
        fail(error as Error);
      }
    };
    const onEnd = (): void => fail(new ConnectionLostError('the connection was closed before the answer arrived'));
    socket.on('data', onData).on('end', onEnd).on('error', fail);
    socket.write(requestText(request));
    const { body } = request;
    if (body !== null && typeof body !== 'string') writeStreamed(socket, body).catch(fail);
  });
}

/** @throws Error if the body cannot be read or does not have the announced size */
async function writeStreamed(socket: Socket, { sizeBytes, read }: StreamedBody): Promise<void> {
  let left = sizeBytes;
  for await (const chunk of read()) {
    left -= chunk.length;
    if (left < 0 || socket.destroyed) break;
    if (!socket.write(chunk)) await written(socket);
  }
  if (left !== 0 && !socket.destroyed) throw new Error('the file changed while it was being sent');
}

function written(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.on('drain', go).on('close', go);
  });
}

const ignore = (): void => undefined;

/**
 * Matches characters that HTTP forbids in the request line and in headers. For example, text after a line break would
 * become another header.
 */
const BREAKS_LINES = /[\0\r\n]/;

function requestText({ method, path, headers, body }: TransportRequest): string {
  // Send the length even if there is no body. Otherwise the server would have to read from the connection to find out.
  const text = typeof body === 'string' ? body : '';
  const bytes = body === null || typeof body === 'string' ? Buffer.byteLength(text) : body.sizeBytes;
  const length = method === 'GET' ? [] : [`content-length: ${bytes}`];
  const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${HOST}`, ...given, ...length, 'connection: close'];
  if (path.includes(' ') || lines.some((line) => BREAKS_LINES.test(line))) throw new Error(`No address: ${path}`);
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

interface ArrivingAnswer {
  /** paused */
  socket: Socket;
  reader: AnswerReader;
  /** the part of the body that arrived together with the head */
  body: readonly Buffer[];
}

function toResponse(status: number, arriving: ArrivingAnswer): TransportResponse {
  return {
    status,
    async text() {
      // A short answer arrives with its head, and no generator is needed to read it.
      if (arriving.reader.isComplete()) {
        arriving.socket.destroy();
        return joined(arriving.body);
      }
      const parts: Uint8Array[] = [];
      for await (const part of readBody(arriving)) parts.push(part);
      return joined(parts);
    },
    bytes: () => readBody(arriving),
  };
}

const joined = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');

async function* readBody({ socket, reader, body }: ArrivingAnswer): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
    if (reader.isComplete()) return;
    for await (const bytes of socket) {
      yield* reader.read(bytes as Buffer);
      if (reader.isComplete()) return;
    }
    reader.end();
  } catch (cause) {
    if (cause instanceof ConnectionLostError) throw cause;
    throw new ConnectionLostError('the connection was closed before the answer was complete', { cause });
  } finally {
    socket.destroy();
  }
}

/**
 * The system's error codes that mean that no server is listening: the socket's file or directory does not exist, or
 * nothing listens on it.
 */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

export function toTransportError(cause: NodeJS.ErrnoException): Error {
  if (UNREACHABLE.has(cause.code)) return new UnreachableError('no server is listening on the local socket', { cause });
  if (cause.code === 'ECONNRESET' || cause.code === 'EPIPE') {
    return new ConnectionLostError('the connection was closed before the answer arrived', { cause });
  }
  if (cause.code === 'EACCES' || cause.code === 'EPERM') {
    return new CatalogueError('no_server', "The server's local socket cannot be opened: permission denied", {
      hint: 'Run cbos as the user who started the server',
      cause,
    });
  }
  return cause;
}
