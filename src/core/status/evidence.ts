import type { Because, Detail, Health, Primary, Question, QuestionPart, State } from '../../protocol/index.ts';

/** A point in time as Unix milliseconds. `core` never reads a clock: every time comes in. */
export type Millis = number;

/** Whether the agent's process lives, as the operating system says. */
export interface ProcessEvidence {
  alive: boolean;
  startedAt: Millis | null;
  endedAt: Millis | null;
}

/** What a terminal shows at one moment. `lines` are the rows of the window from top to bottom, trimmed on the right. */
export interface ScreenFrame {
  lines: readonly string[];
  cursor: { row: number; col: number };
  cols: number;
  rows: number;
  /** row numbers whose whole text is dim: suggestions in the prompt look like this */
  dimRows: readonly number[];
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
  /** text that stands in the prompt and was not sent, null when the prompt is empty or not visible */
  draft: string | null;
  /** the last message of the finished turn, for a closing question; null while not visible */
  lastMessage: string | null;
}

export interface ScreenDialog {
  kind: Exclude<Question['kind'], 'closing'>;
  parts: readonly QuestionPart[];
  /** index (from 0) of the option that the marker stands on, null where none is visible */
  chosen: number | null;
  /** index of an option that opens a text field, null where there is none */
  freeText: number | null;
}

/** The screen's evidence, folded over its frames by `observeScreen`. */
export interface ScreenEvidence {
  frame: ScreenFrame;
  reading: ScreenReading;
  /** since when the screen reads so (same primary, detail and dialog) */
  readingSince: Millis;
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

/** What the status of a stuck or recovered session needs to remember; see `advanceStatus`. */
export interface StatusMemory {
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  since: Millis;
  recoveredAt: Millis | null;
  question: Question | null;
  because: Because;
  lastChangeAt: Millis;
}

/** A verdict: what the evidence says now, and when to ask again although nothing new came. */
export interface Verdict {
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  because: Because;
  question: Question | null;
  recheckAt: Millis | null;
}
