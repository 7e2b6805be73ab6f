import type {
  Because,
  Detail,
  EvidenceSource,
  Health,
  Primary,
  Question,
  RateLimit,
  State,
} from '../../protocol/index.ts';
import type { Millis } from './millis.ts';
import type { ScreenEvidence } from './screen/screen-evidence.ts';

/** Whether the session's Claude Code process is alive, according to the operating system. */
export interface ProcessEvidence {
  alive: boolean;
  startedAt: Millis | null;
  endedAt: Millis | null;
  /** when CBOS parked the session; absent unless it is parked */
  parkedAt?: Millis;
  /** why nothing can be typed into the session although it is alive, and since when; absent while it can be reached */
  unreachable?: Unreachable & { since: Millis };
  /** the set-up of the session's worktree, while it runs and Claude Code has not started yet */
  settingUp?: { command: string; since: Millis };
  /** present if the set-up failed and Claude Code was therefore not started, or null if it did not end on its own */
  setUpFailed?: { exitCode: number | null };
}

/** Either Screen's socket is gone, or its daemon has been stopped (SIGSTOP). */
export type Unreachable = { because: 'no_socket' } | { because: 'stopped'; daemonPid: number };

/** One hook event, as read from the spool. `payload` is Claude Code's own object and has not been validated. */
export interface HookEvent {
  at: Millis;
  event: string;
  payload: Readonly<Record<string, unknown>>;
  /** identifies a hook that waits for a reply; null or absent if the hook does not wait */
  wait?: string | null;
  /** the usage limit that ended the turn, as named in the transcript; absent if no limit ended it */
  limit?: RateLimit;
}

/** A hook that asked a question and waits for the reply. The hook's output answers the dialog. */
export interface HookWait {
  id: string;
  /** Claude Code's suggestions for "do not ask again", unchanged; empty if they are too long to be shown in full */
  suggestions: readonly unknown[];
}

/** A tool call that PreToolUse or PermissionRequest announced and that no event has ended yet. */
export interface PendingTool {
  /** Claude Code's `tool_use_id`; null in versions that do not report it */
  id: string | null;
  name: string;
  input: unknown;
  /** set if `input` was cut because the original is too long */
  cut?: true;
  at: Millis;
  /** when permission for the call was requested, or null if it was not */
  requestedAt: Millis | null;
  /** the subagent that made the call; null for the conversation itself */
  agent: string | null;
  /** absent if no hook waits for a reply */
  wait?: HookWait;
}

/**
 * The hooks' reports, folded by `observeHook`. Its size is bounded because `observeHook` cuts long strings and drops
 * old tool calls.
 */
export interface HookEvidence {
  /** when the newest event happened; null before the first one */
  lastAt: Millis | null;
  sessionId: string | null;
  started: { at: Millis; source: string } | null;
  /** the last prompt that Claude Code accepted */
  prompt: { at: Millis; text: string } | null;
  /** oldest first */
  tools: readonly PendingTool[];
  /** ids of tool calls that have ended, newest last; a late or duplicate PreToolUse must not revive them */
  endedTools: readonly string[];
  /** when a tool call last ended, or null if none did */
  toolEndedAt: Millis | null;
  /** the end of the last turn; it counts only if it is newer than the last prompt */
  turnEnd: { at: Millis; event: string; error: string | null; message: string | null; limit?: RateLimit } | null;
  /** when compacting the conversation began; null while it is not being compacted */
  compactingSince: Millis | null;
  ended: { at: Millis; reason: string } | null;
  /**
   * how many of the session's tasks and schedules continued in the background when its last turn ended; absent if none
   */
  background?: number;
}

/** The fields that CBOS understands in Claude Code's registry record for the session's process. */
export interface RegistryEvidence {
  status: 'idle' | 'busy' | 'waiting' | 'shell' | null;
  waitingFor: string | null;
  statusUpdatedAt: Millis | null;
  sessionId: string | null;
  /** when CBOS read it */
  readAt: Millis;
}

/** A prompt that CBOS wrote to Claude Code and whose turn is not over yet. */
export interface OpenPrompt {
  id: string;
  at: Millis;
  /**
   * `written`: Claude Code has not responded yet; `queued`: Claude Code has accepted the prompt; `started`: its turn is
   * running
   */
  stage: 'written' | 'queued' | 'started';
}

/** A question that Claude Code asks through `can_use_tool`: a permission, AskUserQuestion, or ExitPlanMode. */
export interface JsonRequest extends PendingTool {
  requestId: string;
  requestedAt: Millis;
  /** Claude Code's suggestions for "do not ask again", unchanged */
  suggestions: readonly unknown[];
}

/** A folder that no one has trusted yet and whose own settings name programs that Claude Code would run. */
export interface TrustRequest {
  /** the id of the question */
  id: string;
  folder: string;
  /** the folder's settings files that Claude Code would apply */
  files: readonly string[];
  askedAt: Millis;
}

/**
 * The events of a JSON session, folded by `observeEvent`. Its size is bounded. It contains only JSON values because it
 * is stored.
 */
export interface JsonEvidence {
  /** when the newest event came; null before the first one */
  lastAt: Millis | null;
  /** the last prompt */
  prompt: { at: Millis; text: string } | null;
  open: readonly OpenPrompt[];
  /** when the running turn began; null while no turn is running */
  busySince: Millis | null;
  /** what the turn is doing now */
  phase: { kind: 'thinking' | 'responding'; at: Millis } | null;
  /** announced calls without a result, oldest first */
  tools: readonly PendingTool[];
  /** open questions, oldest first */
  requests: readonly JsonRequest[];
  /** the question that CBOS asks before the first prompt, because without a terminal Claude Code does not ask it */
  trust: TrustRequest | null;
  compactingSince: Millis | null;
  /** a failed request that Claude Code will retry on its own; null as soon as any other event arrives */
  retry: { at: Millis; nextAt: Millis; reason: string } | null;
  /** tasks that continue in the background after a turn */
  background: readonly string[];
  turnEnd: {
    at: Millis;
    error: string | null;
    message: string | null;
    interrupted: boolean;
    limit?: RateLimit;
  } | null;
  sessionId: string | null;
  permissionMode: string | null;
  model: string | null;
  version: string | null;
  rateLimit: RateLimit | null;
  /**
   * the running total from the last result; some versions report only totals, so the cost of the next turn is the
   * difference
   */
  totalCostUsd: number;
}

/**
 * Everything known about one session. A source is null if it has no evidence: no recording, no registry file, no
 * known process.
 */
export interface Evidence {
  process: ProcessEvidence | null;
  screen: ScreenEvidence | null;
  hooks: HookEvidence;
  registry: RegistryEvidence | null;
  /** the events of a JSON session; absent for a session in a terminal */
  json?: JsonEvidence;
  /** how far the times were moved after they were recorded, because the wall clock was set; see `moveEvidence` */
  movedMs?: number;
}

/** The state that one evaluation of the status passes to the next; see `advanceStatus`. */
export interface StatusMemory {
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  /** when this primary and detail began */
  since: Millis;
  /** when a stuck session next gave a sign of life; null unless the health is RECOVERED */
  recoveredAt: Millis | null;
  question: Question | null;
  because: Because;
  /**
   * identifies the hook that waits for the reply to the question, or null if the question is answered with keypresses
   */
  wait: string | null;
  /** the text of the last question, kept after it was answered */
  lastQuestion: string | null;
}

/** What the evidence means now, and when to evaluate it again if nothing new arrives. */
export interface Verdict {
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  because: Because;
  question: Question | null;
  /**
   * identifies the hook that waits for the reply to the question, or null if the question is answered with keypresses
   */
  wait: string | null;
  recheckAt: Millis | null;
}

/** The separate verdict of one source, as `cbos explain` shows it. */
export interface SourceVerdict {
  source: EvidenceSource;
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** the rule of the source that gave the verdict, e.g. `hook.PreToolUse` */
  rule: string;
  evidence: string;
  /** when the source began to report this */
  since: Millis;
}
