export * from './advance.ts';
export { derive, verdicts } from './derive.ts';
export * from './evidence.ts';
export { NO_HOOKS, observeHook } from './hooks.ts';
export { observeScreen } from './screen.ts';
export { readScreen, SCREEN_RULES } from './screen-rules.ts';
export * from './timeline.ts';
