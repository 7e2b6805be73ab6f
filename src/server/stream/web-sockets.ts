import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { CatalogueError } from '../../protocol/index.ts';
import { type Admission, type Gate, SUBPROTOCOL, type Transport } from '../auth/gate.ts';
import type { Rights, RightsOf } from '../auth/session-rights.ts';
import type { UpgradeListener } from '../http/listen.ts';
import { refusal, refuseUpgrade } from '../http/request-listener.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import { ClientSocket } from './client-socket.ts';

/**
 * The largest frame that a client may send. The limit is the same as for HTTP bodies, and even the longest prompt fits,
 * including its JSON escapes.
 */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/**
 * How often to ping each client. Pings detect connections whose other end has silently disappeared, such as a sleeping
 * laptop, and keep proxies from closing idle connections.
 */
const PING_INTERVAL_MS = 30_000;

/**
 * How often to look for open connections whose token or sign-in is no longer valid. Whatever such a connection sends is
 * rejected immediately in any case.
 */
const REVOKED_INTERVAL_MS = 1_000;

/**
 * How many pings may remain unanswered. A ping is queued behind data that the client has not read yet, so a slow or
 * busy client answers late. A dead connection is closed after two minutes, and only a limited amount of data can wait
 * in it until then.
 */
const MOST_UNANSWERED = 4;

/** The WebSocket close code "going away", which means that the server is stopping. */
const CLOSE_GOING_AWAY = 1001;
/**
 * CBOS's own WebSocket close code, which means that the token or sign-in that opened the connection is no longer valid.
 * It is in the range that is reserved for applications.
 */
const CLOSE_SIGN_IN_AGAIN = 4401;

/** How long to wait for the closing handshake of a WebSocket when the server stops. */
const CLOSE_GRACE_MS = 500;

/** Serves the WebSocket connections of one path. */
export interface Hub {
  /** @param rights returns what this client may do; every client may read */
  connect(socket: ClientSocket, rights: () => Promise<Rights>): void;
}

export interface WebSocketsOptions {
  gate: Gate;
  rightsOf: RightsOf;
  logger: Logger;
  hubs: Readonly<Record<string, Hub>>;
  /** called with each connection that is accepted */
  onProven(socket: Duplex): void;
  /** calls the listener after somebody has signed out */
  onSignOut(listener: () => void): Dispose;
  pingIntervalMs?: number;
}

export interface WebSockets {
  onUpgrade(transport: Transport): UpgradeListener;
  /** Tells every client that the server is stopping, and closes every connection. */
  close(): Promise<void>;
}

interface Connection {
  ws: WebSocket;
  admission: Admission;
  /** the number of pings sent since the client last answered one */
  unanswered: number;
}

/**
 * Serves all WebSockets of the server: admits connections, passes each of them to its hub, and keeps checking that they
 * are alive and still allowed.
 */
export function createWebSockets(options: WebSocketsOptions): WebSockets {
  const { gate, rightsOf, logger, hubs } = options;
  // Frames are not compressed, because compression needs memory for each client and gains nothing on a loopback
  // connection.
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    // The subprotocol that contains the token is never sent back, because responses may end up in logs.
    handleProtocols: (protocols) => (protocols.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const connections = new Set<Connection>();
  let timers: NodeJS.Timeout[] = [];
  const stopListening = options.onSignOut(() => endRevoked(connections));

  const accept = (ws: WebSocket, admission: Admission): Connection => {
    const connection: Connection = { ws, admission, unanswered: 0 };
    connections.add(connection);
    if (timers.length === 0) {
      timers = [
        setInterval(() => endRevoked(connections), REVOKED_INTERVAL_MS).unref(),
        setInterval(() => pingAll(connections), options.pingIntervalMs ?? PING_INTERVAL_MS).unref(),
      ];
    }
    ws.on('pong', () => {
      connection.unanswered = 0;
    });
    ws.on('error', (error) => logger.debug({ err: error }, 'a connection failed'));
    ws.once('close', () => {
      connections.delete(connection);
      if (connections.size > 0) return;
      for (const timer of timers) clearInterval(timer);
      timers = [];
    });
    return connection;
  };

  return {
    onUpgrade: (transport) => (request, socket, head) => {
      try {
        const admission = gate.admit(request, transport);
        const path = admission.target.split('?', 1)[0] ?? '';
        const hub = Object.hasOwn(hubs, path) ? hubs[path] : undefined;
        if (hub === undefined) throw new CatalogueError('no_such_route', `The server has no WebSocket at ${path}`);
        if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
          throw new CatalogueError('invalid_request', 'Only WebSocket upgrades are supported');
        }
        options.onProven(socket);
        server.handleUpgrade(request, socket, head, (ws) => {
          const connection = accept(ws, admission);
          hub.connect(new ClientSocket(ws, () => endIfRevoked(connection)), () => rightsOf(request));
        });
      } catch (error) {
        refuseUpgrade(socket, refusal(error, { request, logger }));
      }
    },
    close: async () => {
      stopListening();
      await Promise.all([...connections].map(({ ws }) => goAway(ws)));
    },
  };
}

function endRevoked(connections: ReadonlySet<Connection>): void {
  for (const connection of connections) endIfRevoked(connection);
}

/** @returns whether the connection may continue */
function endIfRevoked({ ws, admission }: Connection): boolean {
  if (admission.isStillValid()) return true;
  ws.close(CLOSE_SIGN_IN_AGAIN, 'the sign-in has ended, or the token has changed');
  return false;
}

function pingAll(connections: ReadonlySet<Connection>): void {
  for (const connection of connections) {
    if (connection.unanswered >= MOST_UNANSWERED) {
      connection.ws.terminate();
      continue;
    }
    connection.unanswered += 1;
    connection.ws.ping();
  }
}

function goAway(ws: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => ws.terminate(), CLOSE_GRACE_MS);
    ws.once('close', () => {
      clearTimeout(impatient);
      resolve();
    });
    ws.close(CLOSE_GOING_AWAY, 'the server is stopping');
  });
}
