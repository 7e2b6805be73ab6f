/**
 * GNU Screen.
 *
 * - its sessions: `list-screens.ts`, told by `watch-screens.ts`; one whose socket is gone: `recover-socket.ts`
 * - a session is started by `launch.ts`, and taken over by `adopt.ts`; Claude Code in one: `find-claude.ts`
 * - keys: `type-keys.ts`; which window they go to, and what may take them there: `find-window.ts`; its size:
 *   `size-window.ts`
 */

export * from './adopt.ts';
export * from './attach-command.ts';
export { removeLeftExchanges, type ScreenTarget } from './command.ts';
export * from './find-claude.ts';
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
