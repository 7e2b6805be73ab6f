/**
 * Processes.
 *
 * - the end of a whole tree, proven: `end-tree.ts`; what only the kernel tells: `kernel.ts`; who is at the other end
 *   of a connection: `peer.ts`
 * - whether a thread can be started for sure: `spare-room.ts`
 */

export * from './end-tree.ts';
export * from './kernel.ts';
export * from './peer.ts';
export * from './proc-file.ts';
export * from './run-program.ts';
export * from './start-fault.ts';
export * from './tree.ts';
export * from './wait-until.ts';
