export * from './run-index.ts';
export type { NumberedEvent } from './search-index.ts';
export * from './search-thread.ts';
