import { SET_UP_LINE } from '../../platform/claude/index.ts';
import { waitUntil } from '../../platform/process/index.ts';
import { type ClaudeEvent, isSetUpDue } from '../../protocol/index.ts';
import { type SetUpSession, seeSetUpEnd } from '../worktrees/begin-set-up.ts';
import type { AgentRun } from './agent-run.ts';
import type { DrivenSession } from './context.ts';

/** Records whether a process begins with the set-up of its worktree. */
export function expectSetUp(run: AgentRun, { record, intake }: DrivenSession): void {
  run.isSettingUp = record.launch.worktree?.set_up?.state === 'running';
  if (run.isSettingUp) intake.seeProcessAgain();
}

/**
 * Reads the output of a process whose set-up runs before Claude Code. What the set-up prints is plain text, even if it
 * looks like an event of Claude Code. The end of the set-up is recorded before its output: a server that is killed in
 * between reads the output again, and does not mistake Claude Code's events for it.
 */
export function takeSetUp(
  run: Pick<AgentRun, 'isSettingUp' | 'launchId'>,
  session: SetUpSession,
  events: readonly ClaudeEvent[],
): readonly ClaudeEvent[] {
  if (!run.isSettingUp) return events;
  const end = events.findIndex(({ type, launch }) => type === SET_UP_LINE && launch === run.launchId);
  const report = events[end];
  if (report === undefined) return events.map(asText);
  run.isSettingUp = false;
  seeSetUpEnd(session, report);
  return [...events.slice(0, end).map(asText), ...events.slice(end + 1)];
}

const asText = (event: ClaudeEvent): ClaudeEvent =>
  event.type === 'raw' ? event : { type: 'raw', content: JSON.stringify(event) };

/** How long a process whose set-up has failed may take to end. It has nothing left to do. */
const END_MS = 5_000;

/** A prompt that nobody reads may belong to a process that is just ending, because its set-up failed. */
export async function awaitFailedSetUp({ record }: DrivenSession, isRunning: () => boolean): Promise<void> {
  const { set_up: setUp } = record.launch.worktree ?? {};
  if (setUp === undefined || !isSetUpDue(setUp)) return;
  await waitUntil(async () => (isRunning() ? null : true), { timeoutMs: END_MS });
}
