export * from './claude-flags.ts';
export * from './merge-settings.ts';
export * from './plan-arguments.ts';
