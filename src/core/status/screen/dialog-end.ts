import { isBoxBottom } from './layout.ts';
import type { ScreenDialog, ScreenFrame } from './screen-evidence.ts';

/** Keys that dialogs name below their options: 1.0 to 2.1.330. */
export const KEY_HINT = /\b(?:Esc|Enter|Tab)\b.*\bto\b|\b(?:shift\+tab|ctrl[+-]\w) to\b/;

/** The prompt's own line below it, which a dialog that takes its place has yet to overwrite. */
const PROMPT_HINT = /\bto cycle\b|\besc to interrupt\b/;

/**
 * The last options of the dialogs below which nothing is drawn: 2.0.30's permission, a plan without a file, the summary
 * of several questions.
 */
const LAST_OPTION = {
  permission: /^No, and tell Claude what to do differently \(esc\)$/,
  plan: /^No$/,
  question: /^Cancel$/,
  setup: null,
} as const;

/** What is drawn of a dialog. */
interface DrawnDialog {
  frame: ScreenFrame;
  /** the row of its upper edge, -1 where none is in the window */
  edge: number;
  kind: ScreenDialog['kind'];
  /** the lines without the dialog's own border */
  lines: readonly string[];
  options: readonly { row: number; isChosen: boolean }[];
  lastLabel: string;
  isBordered: boolean;
}

/**
 * Whether a dialog is drawn to its end. Claude Code draws from the top to the bottom, so what is below the options
 * tells that all of them are there: the lower edge of the box (1.0), the line that names its keys, or an option that is
 * always the last. Where one dialog takes the place of another, the line of keys may be the old one's: then the cursor
 * tells. It rests below everything (1.0 to 2.1.50) or at the marker (from 2.1.150 on), in what the user opened also in
 * the search or the tabs above the options (2.1.330), and is elsewhere only while something is drawn or typed.
 */
export function isDrawnWhole(dialog: DrawnDialog): boolean {
  return isAtRest(dialog) && hasBeginning(dialog) && hasEnd(dialog);
}

/** A line of the conversation: what a dialog shows is indented, but for the marker before a number. */
const CONVERSATION = /^[❯>●⏺](?! \d+\.)/;
/** Only a permission's answers can be amended: its question is not drawn yet, or not any more. */
const AMENDED = /\bto amend\b/;

/** Below its upper edge, unless it is higher than the window. */
function hasBeginning({ kind, edge, lines, options }: DrawnDialog): boolean {
  const first = options[0]?.row ?? 0;
  const isHigher = lines.slice(0, first).some((line) => line.trim() !== '');
  if (edge < 0 && (!isHigher || lines.slice(0, first + 1).some((line) => CONVERSATION.test(line)))) return false;
  return kind !== 'setup' || !lines.slice(first).some((line) => AMENDED.test(line));
}

function hasEnd({ frame, kind, lines, options, lastLabel, isBordered }: DrawnDialog): boolean {
  const below = (options.at(-1)?.row ?? 0) + 1;
  if (isBordered) return frame.lines.slice(below).some(isBoxBottom);
  // A description is the model's own words, and may name keys: a blank line parts it from the line of keys.
  const hints = kind === 'question' ? afterBlank(lines.slice(below)) : lines.slice(below);
  return (
    hints.some((line) => KEY_HINT.test(line) && !PROMPT_HINT.test(line)) || LAST_OPTION[kind]?.test(lastLabel) === true
  );
}

function afterBlank(lines: readonly string[]): readonly string[] {
  const blank = lines.findIndex((line) => line.trim() === '');
  return blank < 0 ? [] : lines.slice(blank);
}

function isAtRest({ frame, kind, edge, options, lines }: DrawnDialog): boolean {
  const { cursor, raisedTo } = frame;
  if (cursor.row >= lines.length) return cursor.col === 0;
  if (raisedTo == null) {
    const isBefore = (frame.lines[cursor.row] ?? '').slice(0, cursor.col).trim() === '';
    return isBefore && options.some(({ row, isChosen }) => isChosen && row === cursor.row);
  }
  const first = kind === 'setup' && edge >= 0 ? edge : (options[0]?.row ?? 0);
  return raisedTo.row === cursor.row && raisedTo.col === cursor.col && cursor.row >= first;
}
