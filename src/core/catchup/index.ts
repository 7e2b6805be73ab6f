export * from './away.ts';
export * from './first-lines.ts';
export * from './happened.ts';
