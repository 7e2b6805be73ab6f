import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefix } from '../../core/machines/index.ts';
import type { NatsLink } from './link.ts';

/** How long to wait for a connection, including TLS, and for the server to confirm what was sent. */
const CONNECT_MS = 10_000;
/** How often an idle connection is checked. A connection that broke silently is noticed after two checks. */
const PING_MS = 10_000;

/**
 * Opens a connection to a NATS server. The connection never reconnects automatically. If it did, messages published in
 * between would be sent long after their senders had been told that they could not be sent.
 * @param id the machine that connects
 */
export const openConnection = (id: string, options: ConnectionOptions): Promise<NatsConnection> =>
  connect({
    ...options,
    inboxPrefix: inboxPrefix(id),
    reconnect: false,
    // A server that asks whether another one has its key must not receive its own question.
    noEcho: true,
    ignoreClusterUpdates: true,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
  });

/** Returns the part of a link that does not depend on what its messages contain. */
export function endsOf(connection: NatsConnection): Pick<NatsLink, 'flush' | 'closed' | 'close'> {
  const closed = connection.closed().then(() => undefined);
  return {
    flush: () => Promise.race([connection.flush(), closed, delay(CONNECT_MS, undefined, { ref: false })]),
    closed,
    close: async () => {
      if (!connection.isClosed()) await connection.close();
    },
  };
}
