/**
 * The decisions that concern a fleet of machines.
 *
 * - `rights.ts`: what a machine may do
 * - `founder-book.ts`: which machines are admitted
 * - `subjects.ts`, `nats-config.ts`: which machine may send what on the NATS server
 * - `age.ts`: how old a message is
 * - `tickets.ts`: how a machine makes sure that no request is carried out late or twice
 */

export * from './age.ts';
export * from './founder-book.ts';
export * from './nats-config.ts';
export * from './rights.ts';
export * from './subjects.ts';
export * from './tickets.ts';
