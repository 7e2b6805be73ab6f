import { realpathSync } from 'node:fs';
import type { RegistryEvidence } from '../../core/status/index.ts';
import { configDirectoryOf, configDirectoryOfProcess } from '../../platform/claude/index.ts';
import { isClaudeItself } from '../../platform/gnu-screen/index.ts';
import { argvOf, folderOfProcess, processNow } from '../../platform/process/index.ts';
import type { Reported } from '../../platform/sqlite/reported.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ClaudeEvent } from '../../protocol/index.ts';

/** What a source has just reported about a session's conversation and its folder. Absent fields stay as they are. */
export interface Report {
  sessionId?: string | null;
  /** the path of the conversation's transcript */
  transcript?: string;
  configDir?: string;
  /** the folder in which Claude Code now works */
  place?: string;
  /** how the conversation began in this process, in the words of the SessionStart hook: `startup`, `resume`, `fork` */
  source?: string;
  /** whether this report shows that the conversation contains more than unanswered prompts */
  isBegun?: boolean;
  /** whether a turn has ended although no hook has reported */
  isSilent?: boolean;
}

type Known = Pick<SessionRecord, 'claudeSessionId' | 'path' | 'reported'>;

/**
 * Returns how a report changes a session's record, or null if it reports nothing new. Another conversation, as after
 * `/clear`, has not begun until something shows that it has.
 */
export function changeByReport(known: Known, report: Report): Partial<SessionRecord> | null {
  const { claudeSessionId: before, reported, path } = known;
  const continued = continuation(known, report);
  if (continued === 'another') return changeByAnother(known, report);
  const claudeSessionId = report.sessionId ?? before;
  const isOther = claudeSessionId !== before;
  const next: Reported = {
    transcript: report.transcript ?? (isOther ? null : reported.transcript),
    configDir:
      report.transcript === undefined ? (report.configDir ?? reported.configDir) : configDirectoryOf(report.transcript),
    place: report.place === undefined ? reported.place : placeBeside(path, report.place),
    isBegun: report.isBegun === true || (!isOther && reported.isBegun),
    isSilent: report.isSilent ?? reported.isSilent,
    asked: continued === null ? reported.asked : null,
    instead: continued === null ? reported.instead : null,
  };
  const isNews = (Object.keys(next) as (keyof Reported)[]).some((key) => next[key] !== reported[key]);
  return isOther || isNews ? { claudeSessionId, reported: next } : null;
}

/**
 * Returns what a report shows about the conversation that a launch was to continue: that Claude Code continues it, or
 * that Claude Code has begun another one. The latter happens if a wrapper drops or changes arguments. Returns null if
 * the report shows neither. The registry names the conversation before the prompt is drawn, and the hook says in
 * addition how it began (2.1.330).
 */
function continuation(
  { claudeSessionId, reported: { asked, instead } }: Known,
  { sessionId, source }: Report,
): 'continued' | 'another' | null {
  if ((asked === null && instead === null) || typeof sessionId !== 'string') return null;
  // A person may continue the right conversation with `/resume`, or begin a new one on purpose with `/clear`.
  if (source !== undefined) return source === 'startup' ? 'another' : 'continued';
  if (sessionId === instead || sessionId !== claudeSessionId) return 'another';
  // A copy has the id that CBOS chose, whether or not it is one.
  return asked === 'fork' ? null : 'continued';
}

/**
 * The session keeps the conversation that was to be continued, so that the next launch tries again. A copy that was not
 * made is made by the next launch.
 */
function changeByAnother({ claudeSessionId, reported, path }: Known, report: Report): Partial<SessionRecord> | null {
  const place = report.place === undefined ? reported.place : placeBeside(path, report.place);
  const instead = report.sessionId ?? null;
  const isNews = reported.instead !== instead || reported.asked !== null || reported.place !== place;
  if (!isNews) return null;
  const own = reported.asked === 'fork' ? null : claudeSessionId;
  return { claudeSessionId: own, reported: { ...reported, place, asked: null, instead } };
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
    ...(event === 'SessionStart' && typeof source === 'string' ? { source } : {}),
    isSilent: false,
    isBegun: ANSWERED.has(event) || (event === 'SessionStart' && source === 'resume'),
  };
}

/**
 * Returns the report of the kernel: the folder in which a session's Claude Code process works, and its configuration
 * directory. Claude Code changes the folder for `/cd`, `EnterWorktree` and `--worktree`, but not when a command of the
 * model runs `cd`, whereas the `cwd` of hooks follows both (2.1.330). No process inside the session can forge it. A
 * wrapper may choose another configuration directory for Claude Code than it has itself.
 */
export function reportOfProcess({ agent }: Pick<SessionRecord, 'agent'>): Report {
  if (agent === null || processNow(agent.pid)?.startTime !== agent.startTime) return {};
  const place = folderOfProcess(agent.pid);
  const configDir = isClaudeItself(agent.pid) ? configDirectoryOfProcess(agent.pid) : null;
  return { ...(place === null ? {} : { place }), ...(configDir === null ? {} : { configDir }) };
}

/**
 * Returns what the registry reports about a session's Claude Code process. The file names the conversation, and the
 * arguments say whether it is a copy: a wrapper may ask for one, and a copy that CBOS asked for has the same id as an
 * empty conversation in its place.
 */
export function reportOfRegistry(
  { sessionId }: Pick<RegistryEvidence, 'sessionId'>,
  { agent, reported: { asked } }: Pick<SessionRecord, 'agent' | 'reported'>,
): Report {
  return { sessionId, ...(asked === null || agent === null ? {} : sourceIn(argvOf(agent.pid), asked)) };
}

/** Returns how a process that was to continue or copy a conversation begins it, as far as its arguments show. */
export function sourceIn(argv: readonly string[], asked: 'resume' | 'fork'): Pick<Report, 'source'> {
  const isFork = argv.includes('--fork-session') && argv.some((argument) => RESUMES.test(argument));
  if (isFork) return { source: 'fork' };
  return asked === 'fork' ? { source: 'startup' } : {};
}

const RESUMES = /^(--resume|-r)(=|$)/;

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
