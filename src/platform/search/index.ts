export * from './run-index.ts';
export type { IndexAnswer, IndexHit, NumberedEvent, SearchRequest } from './search-index.ts';
export * from './search-thread.ts';
