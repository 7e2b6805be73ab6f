export * from './local-days.ts';
export * from './spent-as.ts';
