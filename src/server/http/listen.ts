import { lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { addressToCall } from '../../core/settings/index.ts';
import { CatalogueError, settingVariable } from '../../protocol/index.ts';
import type { Transport } from '../auth/gate.ts';
import { type ConnectionBounds, TIME_LIMITS } from './connection-bounds.ts';
import { refuseUpgrade } from './request-listener.ts';

/**
 * The longest path of a Unix socket. Linux's `sun_path` holds 108 bytes including the final NUL, and Node silently
 * truncates longer paths.
 */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Maps each loopback address to the other one. `localhost` stands for both, and a browser may try the other one first.
 */
const OTHER_LOOPBACK: Readonly<Record<string, string>> = { '127.0.0.1': '::1', '::1': '127.0.0.1' };

/** How long responses that are in progress, such as downloads, may take to finish when the server closes. */
const CLOSE_GRACE_MS = 2_000;

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface ListenOptions {
  host: string;
  /** the port; 0 means any free port */
  port: number;
  /** the path of the local socket; a stale socket is replaced, so the caller must hold the home's lock */
  socket: string;
  /** called immediately for each connection to the local socket */
  onLocalConnection(socket: Socket): void;
  bounds: ConnectionBounds;
  onRequest(transport: Transport): RequestListener;
  onUpgrade(transport: Transport): UpgradeListener;
}

export interface FaceAddress {
  host: string;
  port: number;
  /** the address at which a browser on this machine reaches the server */
  url: string;
  socket: string;
}

export interface Listening {
  address: FaceAddress;
  /**
   * the other loopback address, if another program holds the port there and therefore gets requests for `localhost`;
   * null otherwise
   */
  notHeld: string | null;
  /**
   * Stops accepting connections, gives responses in progress a moment to finish, and then closes the remaining
   * connections.
   */
  close(): Promise<void>;
}

/**
 * Listens on TCP and on the local socket. On loopback, it listens on both addresses, IPv4 and IPv6, because otherwise
 * another program could listen on one of them.
 * @throws CatalogueError port_taken, invalid_setting (an address that does not belong to this machine), path_too_long
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const host = options.host === 'localhost' ? '127.0.0.1' : options.host;
  const other = OTHER_LOOPBACK[host];
  const [tcp, beside, local] = [faceServer('tcp', options), faceServer('tcp', options), faceServer('unix', options)];
  const close = async (): Promise<void> => {
    await Promise.all([tcp, beside, local].map(closeServer));
  };
  local.on('connection', options.onLocalConnection);
  try {
    await listenOnSocket(local, options.socket);
    const port = await listenAt(tcp, host, options.port);
    const isTaken = other !== undefined && !(await listenBeside(beside, other, port));
    return {
      address: { host: options.host, port, url: addressToCall(host, port), socket: options.socket },
      notHeld: isTaken ? addressToCall(other, port) : null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns the port */
async function listenAt(server: Server, host: string, port: number): Promise<number> {
  await started(
    server,
    () => server.listen({ host, port }),
    (error) => listenError(error, host, port),
  );
  const bound = server.address();
  return bound !== null && typeof bound === 'object' ? bound.port : port;
}

/**
 * @returns false if another program holds the port. If the machine lacks the address, the result is true, because
 * nobody else can listen there either.
 */
async function listenBeside(server: Server, host: string, port: number): Promise<boolean> {
  try {
    await listenAt(server, host, port);
    return true;
  } catch (error) {
    return !(error instanceof CatalogueError && error.code === 'port_taken');
  }
}

function faceServer(transport: Transport, options: ListenOptions): Server {
  // Node must not reject a request without Host, because the gate does so itself, with an error from the catalogue.
  const server = createServer({ requireHostHeader: false, ...TIME_LIMITS }, options.onRequest(transport));
  // By default, Node passes on only the first 2,000 headers, but the gate must see all of them. Node limits their total
  // size to 16 kB.
  server.maxHeadersCount = 0;
  if (transport === 'tcp') options.bounds.watch(server);
  server.on('upgrade', options.onUpgrade(transport));
  server.on('clientError', (error, socket) => {
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy();
      return;
    }
    const { status, message } = unreadable('code' in error ? error.code : undefined);
    const failure = new CatalogueError('invalid_request', message, { cause: error });
    refuseUpgrade(socket, { status, error: failure.toBody() });
  });
  return server;
}

/** Returns the response to a request that Node's HTTP parser has rejected. */
function unreadable(code: unknown): { status: number; message: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request did not arrive completely in time' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'The request headers are too long' };
    default:
      return { status: 400, message: "The request isn't valid HTTP" };
  }
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new CatalogueError(
      'path_too_long',
      `The local socket's path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${path}`,
      {
        hint: `Set ${settingVariable('socket')} to a shorter path`,
      },
    );
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeStaleSocket(path);
  await started(
    server,
    () => {
      // The umask applies when `listen()` binds the socket, so the socket never has wider permissions, not even for a
      // moment.
      const before = process.umask(0o177);
      try {
        server.listen({ path });
      } finally {
        process.umask(before);
      }
    },
    (error) => error,
  );
}

/**
 * Removes a socket that a killed server left behind. Anything else at this path belongs to somebody else and makes
 * `listen` fail.
 */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
}

function started(server: Server, start: () => void, toError: (error: Error) => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(toError(error));
    server.once('error', fail);
    server.once('listening', () => {
      server.off('error', fail);
      resolve();
    });
    start();
  });
}

function listenError(error: Error, host: string, port: number): Error {
  const code = 'code' in error ? error.code : undefined;
  const where = `${host}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return new CatalogueError('port_taken', `Another program is listening on ${where}`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'EACCES':
    case 'ENOTFOUND':
      return new CatalogueError('invalid_setting', `Cannot listen on ${where} (${code})`, { cause: error });
    default:
      return error;
  }
}

function closeServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}
