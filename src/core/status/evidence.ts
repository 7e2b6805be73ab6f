import type {
  Because,
  Detail,
  EvidenceSource,
  Health,
  Primary,
  Question,
  QuestionPart,
  RateLimit,
  State,
} from '../../protocol/index.ts';

/** A point in time as Unix milliseconds. `core` never reads a clock: every time comes in. */
export type Millis = number;

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

/** A cell of the window, from 0. */
export interface Place {
  row: number;
  col: number;
}

/** What a terminal shows at one moment. `lines` are the rows of the window from top to bottom, trimmed on the right. */
export interface ScreenFrame {
  lines: readonly string[];
  cursor: Place;
  /** where the last movement upwards brought the cursor; null before any, left out where movements are not known */
  raisedTo?: Place | null;
  cols: number;
  rows: number;
  /** row numbers whose whole text, the prompt's mark `❯` or `>` left out, is dim: suggestions in the prompt look like this */
  dimRows: readonly number[];
  /** row numbers that begin with a sign in the colour of a warning; left out where colours are not known */
  alertRows?: readonly number[];
  /** row numbers that begin with the sign of a tool call in the colour of one that has ended; left out where colours are not known */
  endedRows?: readonly number[];
  /** null where no spinner turns, left out where colours are not known */
  spinner?: SpinnerColours | null;
}

/** A spinner's line, and the highlight that runs over its words. */
export interface SpinnerColours {
  row: number;
  /** of its sign: from 2.0.77 on it fades to red where nothing has come for 3 s, and there is no highlight then */
  colour: number;
  /** null while it is not over the words */
  highlight: Highlight | null;
}

/** Where a highlight has its middle, to half a column. */
export interface Highlight {
  col: number;
  /** whether all of it is over the words: not at their ends, where half a column is a step as well */
  isWhole: boolean;
}

/** What the spinner's highlight tells, up to 2.1.92: that a request is out, or that its answer comes. */
export type Flow = 'sending' | 'receiving';

/** The spinner's highlight, followed over frames. */
export interface FlowEvidence {
  /** the spinner's row, null while none was seen */
  row: number | null;
  /** where the highlight was last; null once it has left the words */
  seen: (Highlight & { at: Millis }) | null;
  /** which way it went last, also while it is away; null where it has just come back */
  step: 'left' | 'right' | null;
  /** of the spinner when it was seen last */
  colour: number | null;
  /** since when it has left the words; null while it is over them, was never seen, or nothing comes and the spinner fades */
  awaySince: Millis | null;
  /** whether it is back sooner from a run to the right than one that turns would be */
  isBackSoon: boolean;
  /** above 0 where its last steps took the time that they take while a request is out, below where they did not */
  pace: number;
  /** null until it has told */
  flow: Flow | null;
  /** whether the spinner's clock has said that reasoning came */
  hasReasoned: boolean;
  /** whether it ever ran to the right: only then the left means anything */
  runsRight: boolean;
  /** whether it is one that turns: null until that is known */
  turns: boolean | null;
  /** whether its pace was ever that of a request: only then another pace means anything */
  keepsTime: boolean;
}

/** What a screen rule makes of one frame. */
export interface ScreenReading {
  rule: string;
  primary: Primary | null;
  detail: Detail | null;
  /** the text on the screen that decided */
  evidence: string;
  /** the dialog that is open, without its identity: that needs time */
  dialog: ScreenDialog | null;
  /** text that is in the prompt and was not sent, null when the prompt is empty or not visible */
  draft: string | null;
  /** what keeps a text from the prompt, null where nothing does or a dialog is open */
  cover: Cover | null;
  /** the last message of the finished turn, for a closing question; null while not visible */
  lastMessage: string | null;
}

/**
 * What has the keys in the prompt's place though no dialog is open: a text that is typed then is lost, or does what nobody meant. A
 * `transcript` lies over everything; a `view` of Claude Code's own, as `/help` and `/status` show one, is in the prompt's place and asks nothing. In `shell` mode Enter runs the text as a command; while old prompts are searched it sends the one
 * that was found, again; below the list of `agents` it begins a session of its own. `unknown`: neither a prompt is drawn nor a dialog, so it may be an editor, or a frame that is not whole yet.
 */
export type Cover = 'transcript' | 'view' | 'shell' | 'search' | 'agents' | 'unknown';

/** The rule that reads a screen which the detailed transcript covers: what it says besides is a guess. */
export const TRANSCRIPT_RULE = 'screen.transcript';

export interface ScreenDialog {
  kind: Exclude<Question['kind'], 'closing'>;
  parts: readonly QuestionPart[];
  /** index (from 0) of the option that the marker stands on, null where none is visible */
  chosen: number | null;
  /** index of an option that opens a text field, null where there is none */
  freeText: number | null;
  /** whether the options carry numbers: the digit answers then, else only the marker and Enter */
  numbered: boolean;
  /** per option whether its box is ticked; null: it has no box */
  checked: readonly (boolean | null)[];
  /** whether it is drawn to its end; until then options may be missing, cut short or those of the dialog before */
  isWhole: boolean;
}

/** A reading that stood long enough to be believed, and since when it did. */
export interface SettledReading {
  reading: ScreenReading;
  since: Millis;
}

/** The screen's evidence, folded over its frames by `observeScreen`. */
export interface ScreenEvidence {
  frame: ScreenFrame;
  reading: ScreenReading;
  /** since when the screen reads so (same primary, detail and dialog) */
  readingSince: Millis;
  /** since when its primary is the same: a running turn may change what it does */
  primarySince: Millis;
  /**
   * The last reading that stood long enough to be believed, before `reading`; null when there was none.
   * A half-drawn frame reads wrongly for some milliseconds: until `reading` has settled, this one counts. A screen that hooks
   * accompany is believed sooner than one that speaks alone.
   */
  settled: Readonly<Record<'alone' | 'accompanied', SettledReading | null>>;
  flow: FlowEvidence;
  /** what the same frame will mean if nothing else is drawn until then; null where time alone changes nothing */
  next: { reading: ScreenReading; flow: FlowEvidence; at: Millis } | null;
  /** whether time alone has made `reading` of what is drawn */
  isLate: boolean;
  /** when a dialog was last on the screen, null when none ever was: tells an answered dialog from one that is not drawn yet */
  dialogSeenAt: Millis | null;
  /** when anything last changed, a spinner included */
  changedAt: Millis;
  /** when anything but a spinner and its clock last changed */
  progressedAt: Millis;
}

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

/** What the events of a JSON session said, folded by `observeEvent`. Bounded, and nothing but JSON: it is written down. */
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

/** Everything at hand about one session. null: the source has nothing (no recording, no registry file, no known process). */
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
