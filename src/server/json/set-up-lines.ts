import { SET_UP_LINE } from '../../platform/claude/index.ts';
import { waitUntil } from '../../platform/process/index.ts';
import { type ClaudeEvent, isSetUpDue } from '../../protocol/index.ts';
import { type SetUpSession, seeSetUpEnd } from '../worktrees/begin-set-up.ts';
import type { AgentRun } from './agent-run.ts';
import type { DrivenSession } from './context.ts';

/** Records whether a process runs the set-up of its worktree before Claude Code. */
export function expectSetUp(run: AgentRun, { record, intake }: DrivenSession): void {
  run.isSettingUp = record.launch.worktree?.set_up?.state === 'running';
  if (run.isSettingUp) intake.seeProcessAgain();
}

/**
 * Reads the output of a process whose set-up runs before Claude Code. Everything that the set-up prints is treated as
 * text, even if it looks like an event from Claude Code. The end of the set-up is recorded before the events are saved.
 * If the server is killed in between, the next server reads the output again and does not mistake Claude Code's events
 * for output of the set-up.
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

/** How long to wait for a process to end after its set-up has failed. Such a process has nothing left to do. */
const END_MS = 5_000;

/**
 * Waits for the end of a process whose set-up has failed. If a prompt could not be passed on, this may be the reason.
 */
export async function awaitFailedSetUp({ record }: DrivenSession, isRunning: () => boolean): Promise<void> {
  const { set_up: setUp } = record.launch.worktree ?? {};
  if (setUp === undefined || !isSetUpDue(setUp)) return;
  await waitUntil(async () => (isRunning() ? null : true), { timeoutMs: END_MS });
}
