import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How many TCP connections may be open in all. A browser opens up to six, and one WebSocket for each page. */
const MOST_CONNECTIONS = 1_000;

/**
 * How many open connections may be unauthenticated, which means that they have not sent a valid token or sign-in yet.
 * Beyond that, a new connection replaces the oldest of these, so nobody can lock others out with idle connections.
 */
const MOST_UNPROVEN = 100;

/**
 * How long a client may take to send the head of a request, and to send the whole request. Even a 4 MB prompt arrives
 * in this time over a slow line.
 */
const HEAD_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 60_000;
/** How often Node checks for requests that have taken too long. */
const LOOK_EVERY_MS = 2_000;

/** Time limits, in the form of options for Node's HTTP server. */
export const TIME_LIMITS = {
  headersTimeout: HEAD_LIMIT_MS,
  requestTimeout: REQUEST_LIMIT_MS,
  connectionsCheckingInterval: LOOK_EVERY_MS,
};

/** Prevents unauthenticated clients from using up all connections. */
export interface ConnectionBounds {
  watch(server: Server): void;
  /** Records that a request with a valid token or sign-in arrived over this connection. */
  prove(socket: Duplex): void;
}

export function createConnectionBounds(): ConnectionBounds {
  const unproven = new Set<Duplex>();
  return {
    watch: (server) => {
      server.maxConnections = MOST_CONNECTIONS;
      server.on('connection', (socket: Socket) => {
        const [oldest] = unproven;
        if (oldest !== undefined && unproven.size >= MOST_UNPROVEN) {
          unproven.delete(oldest);
          oldest.destroy();
        }
        unproven.add(socket);
        socket.once('close', () => unproven.delete(socket));
      });
    },
    prove: (socket) => unproven.delete(socket),
  };
}
