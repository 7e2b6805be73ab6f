export * from './pace.ts';
export * from './sequence-boundary.ts';
export * from './text-boundary.ts';
