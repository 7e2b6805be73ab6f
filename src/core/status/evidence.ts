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
  /** why nothing can be typed into the session although it is alive, and since when; absent while it can be reached */
  unreachable?: Unreachable & { since: Millis };
}

/** Screen's socket is gone, or its daemon is stopped (SIGSTOP). */
export type Unreachable = { because: 'no_socket' } | { because: 'stopped'; daemonPid: number };

/** One hook event as it was read from the spool. `payload` is Claude Code's own object, unvalidated. */
export interface HookEvent {
  at: Millis;
  event: string;
  payload: Readonly<Record<string, unknown>>;
  /** the id of the hook's wait for a reply; null or absent if the hook does not wait */
  wait?: string | null;
}

/** A hook that asked a question and waits for the reply. What the hook prints answers the dialog. */
export interface HookWait {
  id: string;
  /** Claude Code's suggestions for "do not ask again", unchanged; empty if they are too long to be shown in full */
  suggestions: readonly unknown[];
}

/** A tool call that PreToolUse or PermissionRequest announced and that no event has reported as finished. */
export interface PendingTool {
  /** Claude Code's `tool_use_id`; null in versions that do not report it */
  id: string | null;
  name: string;
  input: unknown;
  /** set if `input` is cut because the original is longer */
  cut?: true;
  at: Millis;
  /** when permission for the call was asked; null if it was not */
  requestedAt: Millis | null;
  /** the subagent that made the call; null for the conversation itself */
  agent: string | null;
  /** absent if no hook waits for a reply */
  wait?: HookWait;
}

/**
 * What the hooks reported, folded by `observeHook`. Its size is bounded: `observeHook` cuts long texts and forgets old
 * tool calls.
 */
export interface HookEvidence {
  /** when the newest event happened; null if none ever came */
  lastAt: Millis | null;
  sessionId: string | null;
  started: { at: Millis; source: string } | null;
  /** the last prompt that Claude Code took */
  prompt: { at: Millis; text: string } | null;
  /** oldest first */
  tools: readonly PendingTool[];
  /** ids of tool calls that ended, newest last: a late or duplicate PreToolUse must not bring them back */
  endedTools: readonly string[];
  /** when a tool call last ended; null if none did */
  toolEndedAt: Millis | null;
  /** the end of the last turn; it counts only if it is newer than the last prompt */
  turnEnd: { at: Millis; event: string; error: string | null; message: string | null } | null;
  /** when compacting of the conversation began; null if the conversation is not being compacted */
  compactingSince: Millis | null;
  ended: { at: Millis; reason: string } | null;
}

/** The fields that CBOS understands of Claude Code's registry record for the session's process. */
export interface RegistryEvidence {
  status: 'idle' | 'busy' | 'waiting' | 'shell' | null;
  waitingFor: string | null;
  statusUpdatedAt: Millis | null;
  sessionId: string | null;
  /** when CBOS read it */
  readAt: Millis;
}

/** A prompt that CBOS wrote to Claude Code and whose turn is not over. */
export interface OpenPrompt {
  id: string;
  at: Millis;
  /** `written`: nothing has come back yet; `queued`: Claude Code has it; `started`: its turn runs */
  stage: 'written' | 'queued' | 'started';
}

/** A question that Claude Code asks by `can_use_tool`: a permission, AskUserQuestion or ExitPlanMode. */
export interface JsonRequest extends PendingTool {
  requestId: string;
  requestedAt: Millis;
  /** Claude Code's suggestions for "do not ask again", unchanged */
  suggestions: readonly unknown[];
}

/** A folder whose own settings name programs that Claude Code would run, and that nobody has trusted yet. */
export interface TrustRequest {
  /** the id of the question */
  id: string;
  folder: string;
  /** the folder's settings files that Claude Code would follow */
  files: readonly string[];
  askedAt: Millis;
}

/**
 * What the events of a JSON session reported, folded by `observeEvent`. Its size is bounded, and it holds only JSON
 * values because it is stored.
 */
export interface JsonEvidence {
  /** when the newest event came; null if none ever did */
  lastAt: Millis | null;
  /** the last prompt */
  prompt: { at: Millis; text: string } | null;
  open: readonly OpenPrompt[];
  /** when the running turn began; null while none runs */
  busySince: Millis | null;
  /** what the turn does at the moment */
  phase: { kind: 'thinking' | 'responding'; at: Millis } | null;
  /** announced calls without a result, oldest first */
  tools: readonly PendingTool[];
  /** open questions, oldest first */
  requests: readonly JsonRequest[];
  /** CBOS's own question before the first prompt: Claude Code does not ask it without a terminal */
  trust: TrustRequest | null;
  compactingSince: Millis | null;
  /** a failed request that Claude Code retries by itself; null once any other event came */
  retry: { at: Millis; nextAt: Millis; reason: string } | null;
  /** tasks that continue in the background after a turn */
  background: readonly string[];
  turnEnd: { at: Millis; error: string | null; message: string | null; interrupted: boolean } | null;
  sessionId: string | null;
  permissionMode: string | null;
  model: string | null;
  version: string | null;
  rateLimit: RateLimit | null;
  /**
   * the cumulative total of the last result; the cost of the next turn is the difference where a version reports only
   * totals
   */
  totalCostUsd: number;
}

/**
 * Everything that is known about one session. A source is null if it has nothing: no recording, no registry file, no
 * known process.
 */
export interface Evidence {
  process: ProcessEvidence | null;
  screen: ScreenEvidence | null;
  hooks: HookEvidence;
  registry: RegistryEvidence | null;
  /** the events of a JSON session; absent for a session in a terminal */
  json?: JsonEvidence;
  /** by how much the times were moved since they were recorded, because the wall clock was set; see `moveEvidence` */
  movedMs?: number;
}

/** What the status remembers from one evaluation to the next; see `advanceStatus`. */
export interface StatusMemory {
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  /** when this primary and detail began */
  since: Millis;
  /** when a stuck session gave a sign of life again; null unless the health is RECOVERED */
  recoveredAt: Millis | null;
  question: Question | null;
  because: Because;
  /** the id of the hook's wait for the question's reply; null if the question is answered by keys */
  wait: string | null;
  /** the text of the last question, kept after the answer */
  lastQuestion: string | null;
}

/** A verdict: what the evidence says now, and when to ask again without new evidence. */
export interface Verdict {
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  because: Because;
  question: Question | null;
  /** the id of the hook's wait for the question's reply; null if the question is answered by keys */
  wait: string | null;
  recheckAt: Millis | null;
}

/** One source's own verdict, as `cbos explain` shows it. */
export interface SourceVerdict {
  source: EvidenceSource;
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** the rule of the source that gave the verdict, e.g. `hook.PreToolUse` */
  rule: string;
  evidence: string;
  /** when the source began to say so */
  since: Millis;
}
