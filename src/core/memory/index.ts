export * from './asked-key.ts';
export * from './recall.ts';
export * from './remember.ts';
