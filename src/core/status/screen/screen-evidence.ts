import type { Detail, Primary, Question, QuestionPart } from '../../../protocol/index.ts';
import type { Millis } from '../millis.ts';

/** The position of a cell in the window, counted from 0. */
export interface Place {
  row: number;
  col: number;
}

/**
 * The content of a terminal at one moment. `lines` are the rows of the window from top to bottom, without trailing
 * spaces.
 */
export interface ScreenFrame {
  lines: readonly string[];
  cursor: Place;
  /**
   * where the last upward movement left the cursor; null before the first such movement, absent if movements are not
   * known
   */
  raisedTo?: Place | null;
  cols: number;
  rows: number;
  /** the rows whose text is entirely dim, like a suggestion in the prompt, not counting the prompt's mark `❯` or `>` */
  dimRows: readonly number[];
  /** the rows that begin with a sign in a warning colour; absent if colours are not known */
  alertRows?: readonly number[];
  /**
   * the rows that begin with the sign of a tool call in the colour of a call that has ended; absent if colours are not
   * known
   */
  endedRows?: readonly number[];
  /** null if no spinner is turning; absent if colours are not known */
  spinner?: SpinnerColours | null;
}

/** A spinner's line, and the highlight that runs over its words. */
export interface SpinnerColours {
  row: number;
  /**
   * the colour of the sign; since 2.0.77 it fades to red after 3 s without a byte, and the spinner then has no
   * highlight
   */
  colour: number;
  /** null while the highlight is absent from the words */
  highlight: Highlight | null;
}

/** The position of the middle of a highlight, to the nearest half column. */
export interface Highlight {
  col: number;
  /**
   * whether the whole highlight is over the words; at either end of the words it is not, and a step there may be half a
   * column
   */
  isWhole: boolean;
}

/** What the spinner's highlight shows, up to 2.1.92: either a request is pending, or its answer is arriving. */
export type Flow = 'sending' | 'receiving';

/** The state of the spinner's highlight, tracked from frame to frame. */
export interface FlowEvidence {
  /** the spinner's row, or null if no spinner was seen */
  row: number | null;
  /** the last position of the highlight, or null once it has left the words */
  seen: (Highlight & { at: Millis }) | null;
  /**
   * the direction of the last step, which is kept while the highlight is absent, or null if the highlight has just come
   * back
   */
  step: 'left' | 'right' | null;
  /** the colour of the spinner when the highlight was last seen */
  colour: number | null;
  /**
   * when the highlight left the words; null if it is over the words, was never seen, or is missing because the spinner
   * is fading
   */
  awaySince: Millis | null;
  /** whether the highlight came back from a run to the right sooner than a highlight that reverses would */
  isBackSoon: boolean;
  /** above 0 if the last steps had the pace of a pending request, below 0 if they did not */
  pace: number;
  /** whether a request is pending or its answer is arriving, or null until the highlight has revealed it */
  flow: Flow | null;
  /** whether the spinner's clock has reported reasoning */
  hasReasoned: boolean;
  /** whether the highlight has ever run to the right; if not, a run to the left means nothing */
  runsRight: boolean;
  /** whether the highlight reverses its direction, or null until that is known */
  turns: boolean | null;
  /** whether the pace has ever matched that of a request; if not, a different pace means nothing */
  keepsTime: boolean;
}

/** What the screen rules read from one frame. */
export interface ScreenReading {
  rule: string;
  primary: Primary | null;
  detail: Detail | null;
  /** the text on the screen on which the reading is based */
  evidence: string;
  /** the open dialog, without its identity, which depends on when the dialog opened */
  dialog: ScreenDialog | null;
  /** unsent text in the prompt, or null if the prompt is empty or not visible */
  draft: string | null;
  /** what keeps typed text from reaching the prompt, or null if nothing does or if a dialog is open */
  cover: Cover | null;
  /**
   * the last message of the finished turn, in which there may be a closing question, or null if the message is not
   * visible
   */
  lastMessage: string | null;
  /** present if the prompt is visible and the last visible turn ends with the mark of an interrupt */
  isInterrupted?: true;
  /** the first row below the prompt's box, or the number of rows if no prompt is visible */
  footerRow: number;
}

/**
 * The cover that receives keypresses instead of the prompt, although no dialog is open. Text that is typed into a cover
 * is lost, or does something that no one intended. A `transcript` covers everything. A `view` is one of Claude Code's
 * own views, such as `/help` or `/status`, which replaces the prompt but asks nothing. In `shell` mode, Enter runs the
 * text as a command. In the `search` through old prompts, Enter sends the prompt that was found. Below the list of
 * `agents`, Enter starts a new session. `unknown` means that neither a prompt nor a dialog is drawn, so an editor may
 * be open or the frame may be incomplete.
 */
export type Cover = 'transcript' | 'view' | 'shell' | 'search' | 'agents' | 'unknown';

/**
 * The rule for a screen that the detailed transcript covers. Only the cover is certain, and the rest of the rule's
 * verdict is a guess.
 */
export const TRANSCRIPT_RULE = 'screen.transcript';

/** The form of an MCP server, as far as the screen shows it without its fields. */
export interface DrawnForm {
  mode: 'form' | 'url';
  /** null if the window does not show the beginning of the form */
  server: string | null;
  /** true if the address was accepted, and Claude Code waits until the server confirms that the user is done */
  accepted?: true;
}

export interface ScreenDialog {
  kind: Exclude<Question['kind'], 'closing'>;
  parts: readonly QuestionPart[];
  /** index (from 0) of the option with the marker, or null if no marker is visible */
  chosen: number | null;
  /** index of the option that opens a text field, or null if there is none */
  freeText: number | null;
  /** whether the options are numbered; if so, a digit answers the dialog, and if not, only the marker and Enter do */
  numbered: boolean;
  /** for each option, whether its box is ticked, or null if it has no box */
  checked: readonly (boolean | null)[];
  /**
   * what to type for each option, or null if Claude Code does not accept the option now; present only in a dialog in
   * which each option has a key of its own
   */
  keys?: readonly (string | null)[];
  /** why Claude Code asks, as drawn below the call; absent if the dialog shows no reason */
  reason?: string;
  /** what the dialog shows of an MCP server's form; present only in a dialog of that kind */
  form?: DrawnForm;
  /**
   * whether the dialog has been drawn to its end; until then, options may be missing, cut short, or left over from the
   * previous dialog
   */
  isWhole: boolean;
}

/** A reading that lasted long enough to be believed, and the time when it began. */
export interface SettledReading {
  reading: ScreenReading;
  since: Millis;
}

/** The evidence from the screen, accumulated from its frames by `observeScreen`. */
export interface ScreenEvidence {
  frame: ScreenFrame;
  reading: ScreenReading;
  /** when this reading began, that is, the same primary, detail and dialog */
  readingSince: Millis;
  /** when the primary of this reading began; a running turn may change its detail */
  primarySince: Millis;
  /**
   * The last reading before `reading` that lasted long enough to be believed, or null if there was none. A half-drawn
   * frame is misread for a few milliseconds, so this earlier reading counts until `reading` has settled. CBOS believes
   * a screen sooner if there are also hooks.
   */
  settled: Readonly<Record<'alone' | 'accompanied', SettledReading | null>>;
  flow: FlowEvidence;
  /** what the same frame will mean if nothing else is drawn by `at`, or null if the passage of time changes nothing */
  next: { reading: ScreenReading; flow: FlowEvidence; at: Millis } | null;
  /** whether `reading` depends on how much time has passed, and not only on the frame */
  isLate: boolean;
  /**
   * when a dialog was last on the screen, or null if there has never been one; this distinguishes a dialog that was
   * answered from one that has not been drawn yet
   */
  dialogSeenAt: Millis | null;
  /** since when the prompt has been visible, with no dialog, view or transcript over it; null if it is not */
  clearSince: Millis | null;
  /**
   * The newest moment after which the prompt stayed visible for as long as a dialog takes to be drawn, or null if there
   * was none. Every dialog that waited then is gone.
   */
  clearedAt: Millis | null;
  /** when anything on the screen last changed, including a spinner */
  changedAt: Millis;
  /** when anything other than a spinner and its clock last changed */
  progressedAt: Millis;
}
