import type { Detail, Primary, Question, QuestionPart } from '../../../protocol/index.ts';
import type { Millis } from '../millis.ts';

/** A cell of the window, counted from 0. */
export interface Place {
  row: number;
  col: number;
}

/** What a terminal shows at one moment. `lines` are the rows of the window from top to bottom, trimmed at the right. */
export interface ScreenFrame {
  lines: readonly string[];
  cursor: Place;
  /** where the last upward movement put the cursor; null before any, absent if movements are not known */
  raisedTo?: Place | null;
  cols: number;
  rows: number;
  /** the rows whose whole text, apart from the prompt's mark `❯` or `>`, is dim, as suggestions in the prompt are */
  dimRows: readonly number[];
  /** the rows that begin with a sign in the colour of a warning; absent if colours are not known */
  alertRows?: readonly number[];
  /**
   * the rows that begin with the sign of a tool call in the colour of an ended call; absent if colours are not known
   */
  endedRows?: readonly number[];
  /** null if no spinner turns; absent if colours are not known */
  spinner?: SpinnerColours | null;
}

/** A spinner's line, and the highlight that runs over its words. */
export interface SpinnerColours {
  row: number;
  /** the colour of the sign. From 2.0.77 on it fades to red after 3 s without a byte, and then there is no highlight */
  colour: number;
  /** null while the highlight is not over the words */
  highlight: Highlight | null;
}

/** The middle of a highlight, to half a column. */
export interface Highlight {
  col: number;
  /** whether the whole highlight is over the words; at their ends it is not, and a step may be half a column */
  isWhole: boolean;
}

/** What the spinner's highlight shows up to 2.1.92: that a request is out, or that its answer is coming. */
export type Flow = 'sending' | 'receiving';

/** The spinner's highlight, followed over frames. */
export interface FlowEvidence {
  /** the spinner's row; null if no spinner was seen */
  row: number | null;
  /** the last position of the highlight; null once it has left the words */
  seen: (Highlight & { at: Millis }) | null;
  /** the direction of the last step, kept while the highlight is away; null when it has just come back */
  step: 'left' | 'right' | null;
  /** the colour of the spinner when the highlight was last seen */
  colour: number | null;
  /**
   * when the highlight left the words; null if it is over the words, was never seen, or the spinner fades because
   * nothing comes
   */
  awaySince: Millis | null;
  /** whether the highlight returned from a run to the right sooner than a turning highlight would */
  isBackSoon: boolean;
  /** above 0 if the last steps had the pace of a request that is out; below 0 if they did not */
  pace: number;
  /** null until the highlight has shown it */
  flow: Flow | null;
  /** whether the spinner's clock has reported reasoning */
  hasReasoned: boolean;
  /** whether the highlight ever ran to the right; only then a run to the left means anything */
  runsRight: boolean;
  /** whether the highlight changes its direction; null until that is known */
  turns: boolean | null;
  /** whether the pace was ever that of a request; only then another pace means anything */
  keepsTime: boolean;
}

/** What a screen rule makes of one frame. */
export interface ScreenReading {
  rule: string;
  primary: Primary | null;
  detail: Detail | null;
  /** the text on the screen that decided the reading */
  evidence: string;
  /** the open dialog, without its identity, which needs the time of opening */
  dialog: ScreenDialog | null;
  /** unsent text in the prompt; null if the prompt is empty or not visible */
  draft: string | null;
  /** what keeps a text from the prompt; null if nothing does or a dialog is open */
  cover: Cover | null;
  /** the last message of the finished turn, for a closing question; null if not visible */
  lastMessage: string | null;
}

/**
 * What takes the keys instead of the prompt although no dialog is open. A text that is typed then is lost, or does
 * something that nobody meant. A `transcript` covers everything. A `view` of Claude Code's own, such as `/help` or
 * `/status`, replaces the prompt and asks nothing. In `shell` mode Enter runs the text as a command. In the `search`
 * through old prompts, Enter sends the found prompt once more. Below the list of `agents`, Enter starts a session of
 * its own. `unknown`: neither a prompt nor a dialog is drawn, so this may be an editor, or an incomplete frame.
 */
export type Cover = 'transcript' | 'view' | 'shell' | 'search' | 'agents' | 'unknown';

/** The rule for a screen that the detailed transcript covers. Beyond the cover itself, its verdict is a guess. */
export const TRANSCRIPT_RULE = 'screen.transcript';

export interface ScreenDialog {
  kind: Exclude<Question['kind'], 'closing'>;
  parts: readonly QuestionPart[];
  /** index (from 0) of the option with the marker; null if no marker is visible */
  chosen: number | null;
  /** index of the option that opens a text field; null if there is none */
  freeText: number | null;
  /** whether the options have numbers: then a digit answers, otherwise only the marker and Enter */
  numbered: boolean;
  /** for each option, whether its box is ticked; null if it has no box */
  checked: readonly (boolean | null)[];
  /**
   * whether the dialog is drawn to its end; until then options may be missing, cut short, or those of the previous
   * dialog
   */
  isWhole: boolean;
}

/** A reading that held long enough to be believed, and when it began. */
export interface SettledReading {
  reading: ScreenReading;
  since: Millis;
}

/** The screen's evidence, folded over its frames by `observeScreen`. */
export interface ScreenEvidence {
  frame: ScreenFrame;
  reading: ScreenReading;
  /** when this reading began (same primary, detail and dialog) */
  readingSince: Millis;
  /** when its primary began: a running turn may change its detail */
  primarySince: Millis;
  /**
   * The last reading before `reading` that held long enough to be believed; null if there was none. A half-drawn frame
   * reads wrongly for some milliseconds, so this reading counts until `reading` has settled. A screen with hooks is
   * believed sooner than a screen alone.
   */
  settled: Readonly<Record<'alone' | 'accompanied', SettledReading | null>>;
  flow: FlowEvidence;
  /** what the same frame will mean if nothing else is drawn by `at`; null if time alone changes nothing */
  next: { reading: ScreenReading; flow: FlowEvidence; at: Millis } | null;
  /** whether `reading` follows from the passing of time, and not only from the frame */
  isLate: boolean;
  /**
   * when a dialog was last on the screen; null if none ever was. Distinguishes an answered dialog from one that is not
   * drawn yet
   */
  dialogSeenAt: Millis | null;
  /** when anything last changed, including a spinner */
  changedAt: Millis;
  /** when anything other than a spinner and its clock last changed */
  progressedAt: Millis;
}
