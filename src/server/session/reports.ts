import { realpathSync } from 'node:fs';
import { configDirectoryOf } from '../../platform/claude/index.ts';
import { folderOfProcess, processNow } from '../../platform/process/index.ts';
import type { Reported, SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ClaudeEvent } from '../../protocol/index.ts';

/** What a source has just reported about a session's conversation and its folder. Absent fields stay as they are. */
export interface Report {
  sessionId?: string | null;
  /** the path of the conversation's transcript */
  transcript?: string;
  configDir?: string;
  /** the folder in which Claude Code now works */
  place?: string;
  /** whether this report shows that the conversation contains more than unanswered prompts */
  isBegun?: boolean;
}

type Known = Pick<SessionRecord, 'claudeSessionId' | 'path' | 'reported'>;

/**
 * Returns how a report changes a session's record, or null if it reports nothing new. Another conversation, as after
 * `/clear`, has not begun until something shows that it has.
 */
export function changeByReport(known: Known, report: Report): Partial<SessionRecord> | null {
  const { claudeSessionId: before, reported, path } = known;
  const claudeSessionId = report.sessionId ?? before;
  const isOther = claudeSessionId !== before;
  const next: Reported = {
    transcript: report.transcript ?? (isOther ? null : reported.transcript),
    configDir:
      report.transcript === undefined ? (report.configDir ?? reported.configDir) : configDirectoryOf(report.transcript),
    place: report.place === undefined ? reported.place : placeBeside(path, report.place),
    isBegun: report.isBegun === true || (!isOther && reported.isBegun),
  };
  const isNews = (Object.keys(next) as (keyof Reported)[]).some((key) => next[key] !== reported[key]);
  return isOther || isNews ? { claudeSessionId, reported: next } : null;
}

/** Returns a session's place if that is not the folder in which it was started, whatever links its path contains. */
function placeBeside(path: string | null, place: string): string | null {
  return path === null || path === place || realPath(path) === place ? null : place;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // The folder no longer exists.
  }
}

/** Events that fire only once the model has answered, or has begun to. */
const ANSWERED: ReadonlySet<string> = new Set(['Stop', 'StopFailure', 'PreToolUse', 'SubagentStop', 'PreCompact']);

/** Returns what a hook reports. */
export function reportOfHook({
  event,
  payload,
}: {
  event: string;
  payload: Readonly<Record<string, unknown>>;
}): Report {
  const { session_id: sessionId, transcript_path: transcript, source } = payload;
  return {
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(typeof transcript === 'string' ? { transcript } : {}),
    isBegun: ANSWERED.has(event) || (event === 'SessionStart' && source === 'resume'),
  };
}

/**
 * Returns the report of the kernel: the folder in which a session's Claude Code process works. Claude Code changes it
 * for `/cd`, `EnterWorktree` and `--worktree`, but not when a command of the model runs `cd`, whereas the `cwd` of
 * hooks follows both (2.1.330). No process inside the session can forge it.
 */
export function reportOfProcess({ agent }: Pick<SessionRecord, 'agent'>): Report {
  if (agent === null || processNow(agent.pid)?.startTime !== agent.startTime) return {};
  const place = folderOfProcess(agent.pid);
  return place === null ? {} : { place };
}

/**
 * Returns what events of a JSON session report. Only the event that begins a turn names the conversation reliably: the
 * error about a conversation that cannot be found contains an id that nothing else uses (2.1.150).
 */
export function reportOfEvents(events: readonly ClaudeEvent[]): Report {
  const sessionId = events.findLast(({ type, subtype }) => type === 'system' && subtype === 'init')?.session_id;
  return {
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    isBegun: events.some(({ type }) => type === 'assistant'),
  };
}
