/**
 * The decisions that concern a fleet of machines.
 *
 * - what a machine may do: `rights.ts`
 * - who is admitted: `founder-book.ts`
 * - who may send what on the NATS server: `subjects.ts`, `nats-config.ts`
 * - the age of a message: `age.ts`
 * - how a person leaves the terminal of a session on another machine: `detach-keys.ts`
 * - how requests are never carried out late or twice: `tickets.ts`
 * - who signs what on a shared NATS server: `signers.ts`
 * - which versions work together: `versions.ts`
 */

export * from './age.ts';
export * from './detach-keys.ts';
export * from './founder-book.ts';
export * from './nats-config.ts';
export * from './rights.ts';
export * from './signers.ts';
export * from './subjects.ts';
export * from './tickets.ts';
export * from './versions.ts';
