/**
 * Everything that concerns GNU Screen.
 *
 * - `list-screens.ts`: Screen's sessions; `watch-screens.ts`: changes to them
 * - `recover-socket.ts`: a session whose socket is gone
 * - `launch.ts`: starting a session
 * - `adopt.ts`: adopting a session
 * - `find-claude.ts`: Claude Code in a session
 * - `type-keys.ts`: typing into a session
 * - `find-window.ts`: the window that receives keypresses, and what may intercept them
 * - `size-window.ts`: the size of a window
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
