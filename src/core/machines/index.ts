/**
 * A fleet of machines, as decisions.
 *
 * - what a machine may do: `rights.ts`; who is admitted: `founder-book.ts`
 * - who may say what on the NATS server: `subjects.ts`, `nats-config.ts`
 * - how old something is: `age.ts`; nothing is done late or twice: `tickets.ts`
 */

export * from './age.ts';
export * from './founder-book.ts';
export * from './nats-config.ts';
export * from './rights.ts';
export * from './subjects.ts';
export * from './tickets.ts';
