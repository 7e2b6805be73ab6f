/**
 * NATS, over which the machines in a fleet send each other messages.
 *
 * - the server's process: `nats-server.ts`
 * - the server's certificate: `certificates.ts`
 * - a connection to the server: `connection.ts`
 * - the keys that the server admits: `keys.ts`
 */

export * from './certificates.ts';
export * from './connection.ts';
export * from './keys.ts';
export * from './nats-server.ts';
