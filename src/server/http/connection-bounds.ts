import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How many TCP connections there may be in all. A browser opens six, plus one WebSocket per page. */
const MOST_CONNECTIONS = 1_000;

/**
 * How many open connections may not have sent a valid token or sign-in yet. A new connection replaces the oldest of
 * them, so nobody can lock others out with idle connections.
 */
const MOST_UNPROVEN = 100;

/**
 * How long the head of a request may take, and also the whole request. Even a 4 MB prompt over a slow line arrives in
 * this time.
 */
const HEAD_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 60_000;
/** How often Node checks for requests that have taken too long. */
const LOOK_EVERY_MS = 2_000;

/** Options for Node's server. */
export const TIME_LIMITS = {
  headersTimeout: HEAD_LIMIT_MS,
  requestTimeout: REQUEST_LIMIT_MS,
  connectionsCheckingInterval: LOOK_EVERY_MS,
};

/** Keeps unauthenticated clients from taking all connections. */
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
