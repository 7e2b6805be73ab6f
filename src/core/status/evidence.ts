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

/** Whether the agent's process lives, as the operating system says. */
export interface ProcessEvidence {
  alive: boolean;
  startedAt: Millis | null;
  endedAt: Millis | null;
  /** why nothing can be typed into it, though it lives, and since when. Left out while it can be reached */
  unreachable?: Unreachable & { since: Millis };
}

/** Screen's socket is gone, or its daemon is stopped (SIGSTOP). */
export type Unreachable = { because: 'no_socket' } | { because: 'stopped'; daemonPid: number };

/** One hook event as it came out of the spool. `payload` is Claude Code's own object, unvalidated. */
export interface HookEvent {
  at: Millis;
  event: string;
  payload: Readonly<Record<string, unknown>>;
  /** by what the hook's wait for a reply is known; null or left out where it does not wait */
  wait?: string | null;
}

/** A hook that waits for the reply to what it has asked: what it prints answers the dialog. */
export interface HookWait {
  id: string;
  /** Claude Code's suggestions for "do not ask again", as they came; none where they are too long to be told whole */
  suggestions: readonly unknown[];
}

/** A tool call that was announced by PreToolUse or PermissionRequest and has not been reported finished. */
export interface PendingTool {
  /** Claude Code's `tool_use_id`; null in versions that do not tell it */
  id: string | null;
  name: string;
  input: unknown;
  /** the input is longer than what is kept of it */
  cut?: true;
  at: Millis;
  /** when permission for it was asked, null when it was not */
  requestedAt: Millis | null;
  /** the subagent that calls it, null for the conversation itself */
  agent: string | null;
  /** left out where nobody waits for a reply */
  wait?: HookWait;
}

/** What the hooks said, folded by `observeHook`. Bounded: long texts are cut, old tool calls forgotten. */
export interface HookEvidence {
  /** when the newest event happened, null when none ever came */
  lastAt: Millis | null;
  sessionId: string | null;
  started: { at: Millis; source: string } | null;
  /** the last prompt that Claude Code took */
  prompt: { at: Millis; text: string } | null;
  /** oldest first */
  tools: readonly PendingTool[];
  /** ids of tool calls that ended, newest last: a late or doubled PreToolUse must not bring them back */
  endedTools: readonly string[];
  /** when a tool call last ended, null when none did */
  toolEndedAt: Millis | null;
  /** the end of the last turn; it counts when it is newer than the last prompt */
  turnEnd: { at: Millis; event: string; error: string | null; message: string | null } | null;
  /** since when the conversation is being compacted, null when it is not */
  compactingSince: Millis | null;
  ended: { at: Millis; reason: string } | null;
}

/** Claude Code's registry record of the session's process, as far as it is understood. */
export interface RegistryEvidence {
  status: 'idle' | 'busy' | 'waiting' | 'shell' | null;
  waitingFor: string | null;
  statusUpdatedAt: Millis | null;
  sessionId: string | null;
  /** when CBOS read it */
  readAt: Millis;
}

/** A prompt that was written to Claude Code and whose turn is not over. */
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
  /** its suggestions for "do not ask again", as they came */
  suggestions: readonly unknown[];
}

/** Claude Code would run what a folder's own settings name, and nobody has said yet that this is wanted. */
export interface TrustRequest {
  /** of the question */
  id: string;
  folder: string;
  /** the folder's files that Claude Code would obey */
  files: readonly string[];
  askedAt: Millis;
}

/**
 * What the events of a JSON session said, folded by `observeEvent`. Bounded, and nothing but JSON: it is written down.
 */
export interface JsonEvidence {
  /** when the newest event came, null when none ever did */
  lastAt: Millis | null;
  /** the last prompt */
  prompt: { at: Millis; text: string } | null;
  open: readonly OpenPrompt[];
  /** since when a turn runs, null while none does */
  busySince: Millis | null;
  /** what the turn is at */
  phase: { kind: 'thinking' | 'responding'; at: Millis } | null;
  /** calls that were announced and have no result yet, oldest first */
  tools: readonly PendingTool[];
  /** open questions, oldest first */
  requests: readonly JsonRequest[];
  /** CBOS's own question before the first prompt, where Claude Code without a terminal would not ask */
  trust: TrustRequest | null;
  compactingSince: Millis | null;
  /** a request that failed and is tried again by itself, null once anything else came */
  retry: { at: Millis; nextAt: Millis; reason: string } | null;
  /** tasks that go on in the background after a turn */
  background: readonly string[];
  turnEnd: { at: Millis; error: string | null; message: string | null; interrupted: boolean } | null;
  sessionId: string | null;
  permissionMode: string | null;
  model: string | null;
  version: string | null;
  rateLimit: RateLimit | null;
  /** the cumulative total of the last result, against which the next is compared where a version tells no more */
  totalCostUsd: number;
}

/**
 * Everything at hand about one session. null: the source has nothing (no recording, no registry file, no known
 * process).
 */
export interface Evidence {
  process: ProcessEvidence | null;
  screen: ScreenEvidence | null;
  hooks: HookEvidence;
  registry: RegistryEvidence | null;
  /** of a JSON session: its events; a session in a terminal has none */
  json?: JsonEvidence;
  /** by how much its times were moved since they were taken, because the wall clock was set; see `moveEvidence` */
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
  /** when a stuck session gave a sign of life again, null unless the health is RECOVERED */
  recoveredAt: Millis | null;
  question: Question | null;
  because: Because;
  /** by what the question's reply is waited for; null where it is answered by keys */
  wait: string | null;
  /** the text of the last question that was asked, also after it was answered */
  lastQuestion: string | null;
}

/** A verdict: what the evidence says now, and when to ask again although nothing new came. */
export interface Verdict {
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  because: Because;
  question: Question | null;
  /** by what the question's reply is waited for; null where it is answered by keys */
  wait: string | null;
  recheckAt: Millis | null;
}

/** One source's own verdict, as `cbos explain` shows it. */
export interface SourceVerdict {
  source: EvidenceSource;
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** the rule of the source that speaks, e.g. `hook.PreToolUse` */
  rule: string;
  evidence: string;
  /** since when the source says so */
  since: Millis;
}
