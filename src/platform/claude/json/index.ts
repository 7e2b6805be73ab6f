export * from './command.ts';
export type { ReadLines } from './lines.ts';
export * from './process.ts';
export * from './tail-output.ts';
