export * from './end-tree.ts';
export * from './kernel.ts';
export * from './peer.ts';
export * from './proc-file.ts';
export * from './run-program.ts';
export * from './start-fault.ts';
export * from './tree.ts';
export * from './wait-until.ts';
