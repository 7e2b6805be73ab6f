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
import type { HookForm, OpenForm } from './form-evidence.ts';
import type { Cut, CutEnd } from './kept-text.ts';
import type { Millis } from './millis.ts';
import type { ScreenEvidence } from './screen/screen-evidence.ts';
import type { NoticedDialog, RememberedDialogs } from './shown-dialog.ts';

/** Whether the session's Claude Code process is alive, according to the operating system. */
export interface ProcessEvidence {
  alive: boolean;
  startedAt: Millis | null;
  endedAt: Millis | null;
  /** when CBOS parked the session; absent unless the session is parked */
  parkedAt?: Millis;
  /**
   * why nothing can be typed into the session although it is alive, and since when; absent while the session can be
   * reached
   */
  unreachable?: Unreachable & { since: Millis };
  /** the program that started Claude Code and is still running after Claude Code has ended, and since when */
  absent?: { pid: number; comm: string; since: Millis };
  /** the set-up of the session's worktree, while the set-up is running and Claude Code has not started yet */
  settingUp?: { command: string; since: Millis };
  /** present if the set-up failed, so that Claude Code was not started; null if the set-up was ended from outside */
  setUpFailed?: { exitCode: number | null };
}

/** Either Screen's socket is gone, or its daemon has been stopped (SIGSTOP). */
export type Unreachable = { because: 'no_socket' } | { because: 'stopped'; daemonPid: number };

/** A hook event, as read from the spool. `payload` is the object that Claude Code sent, and has not been validated. */
export interface HookEvent {
  at: Millis;
  event: string;
  payload: Readonly<Record<string, unknown>>;
  /** identifies a hook that is waiting for a reply; null or absent if the hook is not waiting */
  wait?: string | null;
  /** the usage limit that ended the turn, as stated in the transcript; absent if no limit ended the turn */
  limit?: RateLimit;
}

/** A hook that asked a question and is waiting for the reply. The hook's output answers the dialog. */
export interface HookWait {
  id: string;
  /**
   * what Claude Code suggests for "do not ask again", unchanged; empty if the suggestions are too long to be shown in
   * full
   */
  suggestions: readonly unknown[];
}

/** A tool call that PreToolUse or PermissionRequest has announced and that no event has ended yet. */
export interface PendingTool {
  /** the call's `tool_use_id`, or null in versions that do not report it */
  id: string | null;
  name: string;
  input: unknown;
  /** set if `input` was truncated because the original is too long */
  cut?: true;
  at: Millis;
  /** when permission for the call was requested, or null if it was not requested */
  requestedAt: Millis | null;
  /** the subagent that made the call, or null if the conversation itself made it */
  agent: string | null;
  /** the subagent's type, such as `general-purpose`; absent if no hook reported it */
  agentType?: string;
  /** absent if no hook is waiting for a reply */
  wait?: HookWait;
  /** why Claude Code asks, in its own words; absent if it gives no reason */
  reason?: string;
}

/**
 * What the hooks have reported so far, accumulated by `observeHook`. The size is bounded, because `observeHook`
 * truncates long strings and drops old tool calls.
 */
export interface HookEvidence {
  /** when the newest event happened, or null before the first event */
  lastAt: Millis | null;
  sessionId: string | null;
  started: { at: Millis; source: string } | null;
  /**
   * the last prompt that Claude Code accepted. `id` is the id of the turn that was running then (2.1.330). `isQueued`
   * means that the prompt was accepted during a turn, which may take the prompt in or leave it to the next turn.
   */
  prompt: (Cut & { at: Millis; text: string; id?: string; isQueued?: true }) | null;
  /** the tool calls that are running, oldest first */
  tools: readonly PendingTool[];
  /**
   * the calls that CBOS ended by interrupting their turn, so that a late report about one of them does not revive it;
   * absent if there are none, and after the next turn has ended
   */
  interruptedTools?: readonly PendingTool[];
  /**
   * the ids of tool calls that have ended, newest last; because of this list, a late or duplicate PreToolUse does not
   * revive them
   */
  endedTools: readonly string[];
  /** the newest forms of MCP servers, oldest first; absent before the first one */
  forms?: readonly HookForm[];
  /** when a tool call last ended, or null if none has ended */
  toolEndedAt: Millis | null;
  /** the end of the last turn; it counts only if it is newer than the last prompt */
  turnEnd:
    | (CutEnd & { at: Millis; event: string; error: string | null; message: string | null; limit?: RateLimit })
    | null;
  /** when the current compacting of the conversation began, or null if the conversation is not being compacted */
  compactingSince: Millis | null;
  /** how Claude Code ended; `reason` is null if the hook gives none */
  ended: { at: Millis; reason: string | null } | null;
  /**
   * how many of the session's tasks and schedules kept running in the background when its last turn ended; absent if
   * there were none
   */
  background?: number;
}

/** The fields that CBOS understands in the Claude Code registry record for the session's process. */
export interface RegistryEvidence {
  status: 'idle' | 'busy' | 'waiting' | 'shell' | null;
  waitingFor: string | null;
  statusUpdatedAt: Millis | null;
  sessionId: string | null;
  /** when CBOS read the record */
  readAt: Millis;
}

/** A prompt that CBOS has written to Claude Code and whose turn has not ended yet. */
export interface OpenPrompt {
  id: string;
  at: Millis;
  /**
   * `written`: Claude Code has not responded yet; `queued`: Claude Code has accepted the prompt; `started`: the
   * prompt's turn is running
   */
  stage: 'written' | 'queued' | 'started';
}

/** A question that Claude Code asks through `can_use_tool`: a permission request, AskUserQuestion, or ExitPlanMode. */
export interface JsonRequest extends PendingTool {
  requestId: string;
  requestedAt: Millis;
  /** what Claude Code suggests for "do not ask again", unchanged */
  suggestions: readonly unknown[];
}

/** An agent that Claude Code reported when it started. */
export interface StartedAgent {
  /** the id that the agent's calls and requests name */
  id: string;
  /** the type, such as `general-purpose`, or null if Claude Code did not report it */
  type: string | null;
  /** the agent's task in a few words */
  about: string | null;
}

/** A folder that no one has trusted yet and whose settings files name programs that Claude Code would run. */
export interface TrustRequest {
  /** the id of the trust question */
  id: string;
  folder: string;
  /** the settings files in the folder that Claude Code would apply */
  files: readonly string[];
  askedAt: Millis;
}

/**
 * What the events of a JSON session have reported so far, accumulated by `observeEvent`. The size is bounded. The
 * object contains only JSON values, because it is stored.
 */
export interface JsonEvidence {
  /** when the newest event arrived, or null before the first event */
  lastAt: Millis | null;
  /** the last prompt that CBOS sent */
  prompt: (Cut & { at: Millis; text: string }) | null;
  open: readonly OpenPrompt[];
  /** when the running turn began, or null while no turn is running */
  busySince: Millis | null;
  /** what the running turn is doing now */
  phase: { kind: 'thinking' | 'responding'; at: Millis } | null;
  /** whether Claude Code has reported that the running turn was interrupted; its result follows */
  isInterrupted?: boolean;
  /** whether Claude Code has reported that it did not compact the conversation */
  compactFailed?: true;
  /** why Claude Code does not carry out the running slash command */
  commandError?: string;
  /** the calls that were announced and have no result yet, oldest first */
  tools: readonly PendingTool[];
  /** the open questions, oldest first */
  requests: readonly JsonRequest[];
  /** the open forms of MCP servers, oldest first; absent in evidence that an older server stored */
  forms?: readonly OpenForm[];
  /** the question that CBOS asks before the first prompt, because Claude Code does not ask it without a terminal */
  trust: TrustRequest | null;
  compactingSince: Millis | null;
  /** a failed request that Claude Code will retry on its own, or null as soon as any other event arrives */
  retry: { at: Millis; nextAt: Millis; reason: string } | null;
  /** tasks that continue in the background after a turn */
  background: readonly string[];
  /** the agents that have started and not ended; absent in evidence that an older server stored */
  agents?: readonly StartedAgent[];
  turnEnd:
    | (Cut & {
        at: Millis;
        error: string | null;
        message: string | null;
        interrupted: boolean;
        limit?: RateLimit;
        /** why Claude Code did not carry out the slash command that it answered; no turn has failed then */
        commandError?: string;
      })
    | null;
  sessionId: string | null;
  permissionMode: string | null;
  model: string | null;
  version: string | null;
  rateLimit: RateLimit | null;
  /**
   * the running total from the last result; some versions report only totals, so CBOS computes the cost of the next
   * turn as a difference
   */
  totalCostUsd: number;
}

/**
 * Everything that is known about one session. A source is null if it provides no evidence, because there is no
 * recording, no registry file, or no known process.
 */
export interface Evidence {
  process: ProcessEvidence | null;
  screen: ScreenEvidence | null;
  hooks: HookEvidence;
  registry: RegistryEvidence | null;
  /** the events of a JSON session; absent if the session is in a terminal */
  json?: JsonEvidence;
  /**
   * how far the times have been shifted since they were recorded, because the wall clock was set; see `moveEvidence`
   */
  movedMs?: number;
}

/** The state that one evaluation of the status passes on to the next; see `advanceStatus`. */
export interface StatusMemory extends RememberedDialogs {
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  /** when the current primary and detail began */
  since: Millis;
  /** when a stuck session next gave a sign of life, or null unless the health is RECOVERED */
  recoveredAt: Millis | null;
  /** the open question; if several are open, the oldest */
  question: Question | null;
  /** all open questions, oldest first */
  questions: readonly Question[];
  because: Because;
  /** identifies the hook that waits for the reply to the question; null if the answer is typed */
  wait: string | null;
  /** present if the session is idle because its last turn was interrupted */
  isInterrupted?: true;
  /** the text of the last question, which is kept after the question was answered */
  lastQuestion: string | null;
}

/** What the evidence means now, and when to evaluate it again if nothing new arrives. */
export interface Verdict extends NoticedDialog {
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  because: Because;
  question: Question | null;
  /** all open questions, oldest first */
  questions: readonly Question[];
  /** identifies the hook that waits for the reply to the question; null if the answer is typed */
  wait: string | null;
  /** present if the session is idle because its last turn was interrupted */
  isInterrupted?: true;
  recheckAt: Millis | null;
}

/** The separate verdict of one source, as shown by `cbos explain`. */
export interface SourceVerdict {
  source: EvidenceSource;
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** the rule from which the verdict follows, for example `hook.PreToolUse` */
  rule: string;
  evidence: string;
  /** when the source began to report this verdict */
  since: Millis;
}
