export * from './advance.ts';
export { derive, verdicts } from './derive.ts';
export * from './evidence.ts';
export { isTurnRunning, NO_HOOKS, observeHook } from './hooks.ts';
export { observeScreen } from './screen.ts';
export { readScreen, SCREEN_RULES, type ScreenRule } from './screen-rules.ts';
