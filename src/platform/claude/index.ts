/**
 * Claude Code on this machine.
 *
 * - a launch: `launch.ts`, its environment `environment.ts`, its mark `launch-mark.ts`, its hooks `hook-settings.ts`
 * - the command that prepares a worktree before the launch: `set-up.ts`
 * - what hooks report: `hook-spool.ts`
 * - a spool that was removed: `spool-directory.ts`
 * - the hook that waits for a reply: `reply-hook.ts`
 * - finding a waiting hook again: `reply-waits.ts`
 * - the hook that shows each call before it runs: `call-guard.ts`
 * - the hook that holds a turn, which keeps Enter from answering a dialog: `turn-gate.ts`, `turn-gates.ts`
 * - the usage limit that ended a turn: `usage-limit.ts`
 * - its status line: the user's own `status-line.ts`, the tap in it `status-line-tap.ts`, the tap's reports
 *   `status-line-reports.ts`
 * - Claude Code's registry: `registry.ts`
 * - Claude Code's conversations: `conversations.ts`
 * - where Claude Code's files are: `own-files.ts`
 * - Claude Code's own queue of prompts: `queue-operations.ts`
 * - which folders are trusted: `trust.ts`
 * - which session a process belongs to: `process-trace.ts`
 * - whether its commands are still running while the prompt is idle: `running-tools.ts`
 * - without a terminal: `json/`
 */

export * from './call-guard.ts';
export * from './conversation.ts';
export * from './conversations.ts';
export * from './environment.ts';
export * from './hook-settings.ts';
export * from './hook-spool.ts';
export * from './launch.ts';
export * from './launch-mark.ts';
export * from './own-files.ts';
export * from './process-trace.ts';
export * from './queue-operations.ts';
export { readTranscript } from './read-transcript.ts';
export * from './registry.ts';
export { openReplyWaits, type ReplyWaits } from './reply-waits.ts';
export { runsTools } from './running-tools.ts';
export * from './set-up.ts';
export * from './spool-directory.ts';
export * from './status-line.ts';
export * from './status-line-reports.ts';
export * from './status-line-tap.ts';
export * from './trust.ts';
export * from './turn-gate.ts';
export * from './turn-gates.ts';
export * from './usage-limit.ts';
export * from './version.ts';
