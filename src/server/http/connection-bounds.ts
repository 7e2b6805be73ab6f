import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Connections over TCP in all; a browser has six and a WebSocket per page. */
const MOST_CONNECTIONS = 1_000;

/**
 * Of those that have shown neither token nor sign-in. The oldest goes for a new one: nobody holds the door shut by
 * standing in it.
 */
const MOST_UNPROVEN = 100;

/** For the head of a request, and for the whole of it: a prompt of 4 MB over a slow line. */
const HEAD_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 60_000;
/** How often Node looks for those that took longer. */
const LOOK_EVERY_MS = 2_000;

/** Given to Node's server when it is made. */
export const TIME_LIMITS = {
  headersTimeout: HEAD_LIMIT_MS,
  requestTimeout: REQUEST_LIMIT_MS,
  connectionsCheckingInterval: LOOK_EVERY_MS,
};

/** Keeps those who are not known from taking all connections. */
export interface ConnectionBounds {
  watch(server: Server): void;
  /** What came over this connection was a request of somebody who may make it. */
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
