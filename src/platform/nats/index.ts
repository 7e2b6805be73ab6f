/**
 * NATS, which carries the messages between the machines of a fleet.
 *
 * - the server's process: `nats-server.ts`; its certificate: `certificates.ts`
 * - a connection to it: `connection.ts`; the keys that it admits: `keys.ts`
 */

export * from './certificates.ts';
export * from './connection.ts';
export * from './keys.ts';
export * from './nats-server.ts';
