import { howEnded } from '../../core/restore/ended.ts';
import { type JsonEvidence, jsonState, type StatusMemory } from '../../core/status/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import {
  NOTHING_KEPT,
  type OverBudget,
  type RateLimit,
  type RecordingStop,
  type Session,
  type Status,
  withoutLabels,
} from '../../protocol/index.ts';
import { notContinued } from './continued.ts';
import type { Figures } from './figures.ts';

/** How many lines of a session's screen are included in lists. */
const TAIL_LINES = 5;

export interface SessionFacts {
  record: SessionRecord;
  memory: StatusMemory;
  status: Status;
  /** the evidence and the cost of a JSON session's turns; null for a terminal session */
  json: { evidence: JsonEvidence; costUsd: number } | null;
  figures: Figures;
  /** the latest report about the account's limits, as long as it is valid */
  limit: RateLimit | null;
  attached: boolean | null;
  /**
   * when Screen itself was last seen to take the session's keypresses, in Unix milliseconds; null if it does not take
   * them
   */
  screenPromptAt: number | null;
  /** the rows of the session's window, from top to bottom; null if unknown */
  lines: readonly string[] | null;
  size: { cols: number; rows: number } | null;
  /**
   * when the limit that had stopped the session's last turn ended; null if there is no such limit or the session has
   * been continued since then
   */
  limitOverAt: number | null;
  /** whether the session was missing from the database when the server started */
  broughtBack: boolean;
  /** the id of the session's conversation, if it is gone */
  missing: string | null;
  /** the name of another running session that has the session's conversation open; null if none has */
  alsoOpenIn: string | null;
  /** when an interrupt paused the session's queue, in Unix milliseconds; null if prompts may be sent */
  queueStoppedAt: number | null;
  overBudget: OverBudget | null;
  /** when the session's recording stopped, in Unix milliseconds, and why; null if the session is being recorded */
  recordingStopped: { since: number; because: RecordingStop } | null;
  undrawnAt: number | null;
  /** the view that covers the prompt, or null if none does */
  view: string | null;
  /** what Claude Code's SessionEnd hook reported; null if the hook has not arrived */
  hookEnd: { at: number; reason: string | null } | null;
}

/** Returns a session as every face shows it. */
export function viewSession(facts: SessionFacts): Session {
  const { record, memory, json, figures } = facts;
  return {
    slug: record.slug,
    path: record.path,
    ...(record.reported.place === null ? {} : { place: record.reported.place }),
    type: record.type,
    screen_id: record.screenId,
    pid: memory.primary === 'dead' || record.parkedAt !== null ? null : (record.agent?.pid ?? null),
    attached: facts.attached,
    adopted: record.adopted,
    state: memory.state,
    status: facts.status,
    created_at: toTimestamp(record.createdAt),
    last_activity: record.lastActivity === null ? null : toTimestamp(record.lastActivity),
    last_question: record.lastQuestion,
    buffer_tail: facts.lines === null ? null : lastFilledLines(facts.lines, TAIL_LINES).join('\n'),
    claude_session_id: record.claudeSessionId,
    permission_mode: record.launch.permission_mode ?? (json === null ? null : 'default'),
    model: json?.evidence.model ?? figures.model ?? record.launch.model,
    cost_usd: json?.costUsd ?? figures.costUsd,
    context: figures.context,
    effort: figures.effort,
    lines_added: figures.linesAdded,
    lines_removed: figures.linesRemoved,
    cols: facts.size?.cols ?? null,
    rows: facts.size?.rows ?? null,
    json_state: json === null ? null : jsonState(json.evidence),
    max_budget_usd: record.launch.max_budget_usd,
    rate_limit: facts.limit,
    ...(facts.limitOverAt === null ? {} : { limit_over_at: toTimestamp(facts.limitOverAt) }),
    recording_stopped_at: facts.recordingStopped === null ? null : toTimestamp(facts.recordingStopped.since),
    ...(facts.undrawnAt === null ? {} : { undrawn_since: toTimestamp(facts.undrawnAt) }),
    ...(facts.view === null ? {} : { view: { name: facts.view } }),
    ...(record.launchId !== null && record.reported.isSilent ? { hooks_silent: true as const } : {}),
    brought_back: facts.broughtBack,
    ...viewMissing(facts),
    ...(facts.alsoOpenIn === null ? {} : { also_open_in: facts.alsoOpenIn }),
    recording_stopped_because: facts.recordingStopped?.because ?? null,
    ...(record.launch.worktree === undefined ? {} : { worktree: record.launch.worktree }),
    screen_prompt_at: facts.screenPromptAt === null ? null : toTimestamp(facts.screenPromptAt),
    parked_at: record.parkedAt === null ? null : toTimestamp(record.parkedAt),
    ...(record.loss === null ? {} : { lost: record.loss.because }),
    ...viewEnd(facts),
    ...(facts.overBudget === null ? {} : { over_budget: facts.overBudget }),
    queue_stopped_at: facts.queueStoppedAt === null ? null : toTimestamp(facts.queueStoppedAt),
    // The features in the book of sessions fill in these fields.
    ...NOTHING_KEPT,
    ...withoutLabels(),
  };
}

function viewMissing({ record, missing }: SessionFacts): Partial<Session> {
  const other = notContinued(record);
  if (other !== null) return { missing_conversation: other.missing, other_conversation: other.other };
  return missing === null ? {} : { missing_conversation: missing };
}

/** Returns how the session ended, or that its last turn was interrupted before the session came back. */
function viewEnd({ record, hookEnd }: SessionFacts): Partial<Pick<Session, 'ended' | 'interrupted_at'>> {
  const { ended, endedAt, parkedAt, stopAskedAt, removedAt } = record;
  if (ended === null || parkedAt !== null) return {};
  const at = toTimestamp(ended.at);
  const interrupted = ended.wasRunning ? { interrupted_at: at } : {};
  // If the set-up of the worktree failed, Claude Code never ran.
  if (endedAt === null || record.launch.worktree?.set_up?.state === 'failed') return interrupted;
  const isAsked = stopAskedAt !== null || removedAt !== null;
  return { ...interrupted, ended: { ...howEnded({ ...ended, isAsked, hook: hookEnd }), at } };
}

export function toTimestamp(millis: number): string {
  return new Date(millis).toISOString();
}

function lastFilledLines(lines: readonly string[], count: number): string[] {
  return lines.filter((line) => line.trim() !== '').slice(-count);
}
