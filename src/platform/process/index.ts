/**
 * Processes.
 *
 * - ending and verifying the end of a whole tree: `end-tree.ts`
 * - data that only the kernel has: `kernel.ts`
 * - the process at the other end of a connection: `peer.ts`
 * - the ports that programs listen on: `listening-ports.ts`
 * - a program that outlives this one: `start-detached.ts`
 * - how busy the machine is: `machine-load.ts`
 * - whether a thread can certainly be started: `spare-room.ts`
 * - memory that this process does not use: `collect-garbage.ts`, then `kernel.ts`
 */

export * from './collect-garbage.ts';
export * from './end-tree.ts';
export * from './kernel.ts';
export * from './listening-ports.ts';
export * from './machine-load.ts';
export * from './make-fifo.ts';
export * from './peer.ts';
export * from './proc-file.ts';
export * from './run-program.ts';
export * from './start-detached.ts';
export * from './start-fault.ts';
export * from './tree.ts';
export * from './wait-until.ts';
