/**
 * GNU Screen.
 *
 * - Screen's sessions: `list-screens.ts`; changes to them: `watch-screens.ts`
 * - a session whose socket is gone: `recover-socket.ts`
 * - starting a session: `launch.ts`
 * - adopting a session: `adopt.ts`
 * - Claude Code in a session: `find-claude.ts`
 * - keypresses: `type-keys.ts`
 * - the window that receives keypresses, and what may intercept them: `find-window.ts`
 * - a window's size: `size-window.ts`
 */

export * from './adopt.ts';
export * from './attach-command.ts';
export { removeLeftExchanges, type ScreenTarget } from './command.ts';
export * from './find-claude.ts';
export { leaveHiddenTerminal, leaveSizingTerminals } from './hidden-terminal.ts';
export * from './host.ts';
export * from './launch.ts';
export * from './launch-options.ts';
export * from './list-screens.ts';
export * from './parse-ls.ts';
export * from './recover-socket.ts';
export * from './resize.ts';
export * from './screen-id.ts';
export * from './type-keys.ts';
export * from './watch-screens.ts';
