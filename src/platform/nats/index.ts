/**
 * NATS, which carries the messages between the machines in a fleet.
 *
 * - the server's process: `nats-server.ts`; its certificate: `certificates.ts`
 * - a connection to the server: `connection.ts`; the keys that the server admits: `keys.ts`
 */

export * from './certificates.ts';
export * from './connection.ts';
export * from './keys.ts';
export * from './nats-server.ts';
