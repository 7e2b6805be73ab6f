/**
 * Everything that concerns processes.
 *
 * - `end-tree.ts`: ends a whole process tree, and verifies that it has ended
 * - `kernel.ts`: queries data that only the kernel has
 * - `peer.ts`: finds the process at the other end of a connection
 * - `listening-ports.ts`: finds the ports that programs listen on
 * - `start-detached.ts`: starts a program that outlives this one
 * - `machine-load.ts`: measures how busy the machine is
 * - `without-secrets.ts`: the environment for a program that must not get CBOS's secrets
 * - `spare-room.ts`: checks whether a thread can certainly be started
 * - `collect-garbage.ts`, then `kernel.ts`: return memory that this process does not use
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
export * from './without-secrets.ts';
