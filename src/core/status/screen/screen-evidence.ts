import type { Detail, Primary, Question, QuestionPart } from '../../../protocol/index.ts';
import type { Millis } from '../millis.ts';

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
  /**
   * row numbers whose whole text, the prompt's mark `❯` or `>` left out, is dim: suggestions in the prompt look like
   * this
   */
  dimRows: readonly number[];
  /** row numbers that begin with a sign in the colour of a warning; left out where colours are not known */
  alertRows?: readonly number[];
  /**
   * row numbers that begin with the sign of a tool call in the colour of one that has ended; left out where colours are
   * not known
   */
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
  /**
   * since when it has left the words; null while it is over them, was never seen, or nothing comes and the spinner
   * fades
   */
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
 * What has the keys in the prompt's place though no dialog is open: a text that is typed then is lost, or does what
 * nobody meant. A `transcript` lies over everything; a `view` of Claude Code's own, as `/help` and `/status` show one,
 * is in the prompt's place and asks nothing. In `shell` mode Enter runs the text as a command; while old prompts are
 * searched it sends the one that was found, again; below the list of `agents` it begins a session of its own.
 * `unknown`: neither a prompt is drawn nor a dialog, so it may be an editor, or a frame that is not whole yet.
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
   * The last reading that stood long enough to be believed, before `reading`; null when there was none. A half-drawn
   * frame reads wrongly for some milliseconds: until `reading` has settled, this one counts. A screen that hooks
   * accompany is believed sooner than one that speaks alone.
   */
  settled: Readonly<Record<'alone' | 'accompanied', SettledReading | null>>;
  flow: FlowEvidence;
  /** what the same frame will mean if nothing else is drawn until then; null where time alone changes nothing */
  next: { reading: ScreenReading; flow: FlowEvidence; at: Millis } | null;
  /** whether time alone has made `reading` of what is drawn */
  isLate: boolean;
  /**
   * when a dialog was last on the screen, null when none ever was: tells an answered dialog from one that is not drawn
   * yet
   */
  dialogSeenAt: Millis | null;
  /** when anything last changed, a spinner included */
  changedAt: Millis;
  /** when anything but a spinner and its clock last changed */
  progressedAt: Millis;
}
