/**
 * NATS, over which the machines in a fleet send messages to each other.
 *
 * - `nats-server.ts`: the process of the NATS server
 * - `certificates.ts`: the server's certificate
 * - `connection.ts`: a connection to the server
 * - `keys.ts`: the keys that the server accepts
 */

export * from './certificates.ts';
export * from './connection.ts';
export * from './keys.ts';
export * from './nats-server.ts';
