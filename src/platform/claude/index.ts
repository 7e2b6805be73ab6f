/**
 * Everything that concerns Claude Code on this machine.
 *
 * - `launch.ts`: a launch; `environment.ts`: its environment; `launch-mark.ts`: its mark; `hook-settings.ts`: its hooks
 * - `set-up.ts`: the command that prepares a worktree before the launch
 * - `hook-spool.ts`: what hooks report
 * - `spool-directory.ts`: what happens if the spool is removed
 * - `reply-hook.ts`: the hook that waits for a reply
 * - `reply-waits.ts`: how a server finds a waiting hook again
 * - `call-guard.ts`: the hook that shows each call to CBOS before the call runs
 * - `turn-gate.ts`, `turn-gates.ts`: the hook that holds a turn, which keeps Enter from answering a dialog
 * - `usage-limit.ts`: the usage limit that ended a turn
 * - `status-line.ts`: the user's own status line; `status-line-tap.ts`: the tap in it; `status-line-reports.ts`: the
 *   tap's reports
 * - `registry.ts`: Claude Code's registry
 * - `conversations.ts`: Claude Code's conversations; `chosen-conversations.ts`: those that arguments choose
 * - `own-files.ts`: where Claude Code's files are; `find-transcript.ts`: where a conversation's transcript is
 * - `transcript-row.ts`: a line of a transcript
 * - `queue-operations.ts`: Claude Code's own queue of prompts
 * - `trust.ts`: which folders are trusted
 * - `process-trace.ts`: which session a process belongs to
 * - `running-tools.ts`: whether a session's commands are still running while its prompt is idle
 * - `json/`: Claude Code without a terminal
 */

export * from './call-guard.ts';
export * from './chosen-conversations.ts';
export * from './conversation.ts';
export * from './conversations.ts';
export * from './environment.ts';
export * from './find-transcript.ts';
export * from './hook-settings.ts';
export * from './hook-spool.ts';
export * from './launch.ts';
export * from './launch-mark.ts';
export * from './newest-turn.ts';
export * from './own-files.ts';
export * from './own-keys.ts';
export * from './own-settings.ts';
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
