import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { CatalogueError } from '../../protocol/index.ts';
import { type Admission, type Gate, SUBPROTOCOL, type Transport } from '../auth/gate.ts';
import type { RightsOf } from '../auth/session-rights.ts';
import type { UpgradeListener } from '../http/listen.ts';
import { refusal, refuseUpgrade } from '../http/request-listener.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { ClientSocket } from './client-socket.ts';

/** The same limit as for HTTP bodies. The longest prompt, escaped as JSON, fits. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/**
 * How often to ping. Pings detect connections whose other end has silently gone away (a sleeping laptop, a lost
 * network), and keep proxies from closing idle ones.
 */
const PING_INTERVAL_MS = 30_000;

/**
 * How often to check for open connections whose token has been rotated. Whatever they send is rejected immediately in
 * any case.
 */
const REVOKED_INTERVAL_MS = 1_000;

/**
 * How many pings may go unanswered. A ping waits behind data that its client has not read yet, so a slow or busy client
 * answers late. A dead connection is closed after two minutes, during which it ties up only a bounded amount of data.
 */
const MOST_UNANSWERED = 4;

/** "Going away": the server is ending. */
const CLOSE_GOING_AWAY = 1001;
/**
 * A code from the range for applications' own use. It means that the token or sign-in that opened the connection is no
 * longer valid.
 */
const CLOSE_SIGN_IN_AGAIN = 4401;

/** How long to wait for the closing handshake when the server is stopping. */
const CLOSE_GRACE_MS = 500;

/** Serves the connections of one path. */
export interface Hub {
  /**
   * @param acting the sessions, limited to what this client may do; every client may read
   * @param requireFull refuses a client that may not do everything
   */
  connect(socket: ClientSocket, acting: () => Promise<Sessions>, requireFull: (what: string) => Promise<void>): void;
}

export interface WebSocketsOptions {
  gate: Gate;
  rightsOf: RightsOf;
  logger: Logger;
  hubs: Readonly<Record<string, Hub>>;
  /** called with each connection that is accepted */
  onProven(socket: Duplex): void;
  /** calls the listener when somebody has signed out */
  onSignOut(listener: () => void): Dispose;
  pingIntervalMs?: number;
}

export interface WebSockets {
  onUpgrade(transport: Transport): UpgradeListener;
  /** Notifies every client that the server is going away, and ends every connection. */
  close(): Promise<void>;
}

interface Connection {
  ws: WebSocket;
  admission: Admission;
  /** pings since the client's last answer */
  unanswered: number;
}

/**
 * Creates all of the server's WebSockets: admits connections, passes them to their hub, and keeps checking that they
 * are alive and allowed.
 */
export function createWebSockets(options: WebSocketsOptions): WebSockets {
  const { gate, rightsOf, logger, hubs } = options;
  // There is no compression. It would use memory for each client and gain nothing on a loopback connection.
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    // The protocol that contains the token is never sent back, because responses end up in logs.
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
          hub.connect(
            new ClientSocket(ws, () => endIfRevoked(connection)),
            async () => (await rightsOf(request)).sessions,
            async (what) => (await rightsOf(request)).requireFull(what),
          );
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
