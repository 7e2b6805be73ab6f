export * from './attended.ts';
