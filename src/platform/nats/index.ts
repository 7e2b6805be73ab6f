/**
 * NATS, over which the machines in a fleet send messages to each other.
 *
 * - the server's process: `nats-server.ts`
 * - the server's certificate: `certificates.ts`
 * - a connection to the server: `connection.ts`, `open-connection.ts`
 * - the keys that the server admits: `keys.ts`
 * - a shared NATS server: `shared-server.ts`, `connect-shared.ts`, `credentials.ts`, `signed-link.ts`
 */

export * from './certificates.ts';
export * from './connection.ts';
export { readAuthority } from './credentials.ts';
export * from './keys.ts';
export * from './link.ts';
export * from './nats-server.ts';
export * from './shared-server.ts';
