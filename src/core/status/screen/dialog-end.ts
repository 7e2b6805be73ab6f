import type { DialogKind } from '../asked-call.ts';
import { isBoxBottom } from './layout.ts';
import type { ScreenFrame } from './screen-evidence.ts';

/** Matches the line of key hints that dialogs draw below their options (1.0 to 2.1.330). */
export const KEY_HINT = /\b(?:Esc|Enter|Tab)\b.*\bto\b|\b(?:shift\+tab|ctrl[+-]\w) to\b/;

/** Matches the line below the prompt. A dialog that replaces the prompt may not have overwritten this line yet. */
const PROMPT_HINT = /\bto cycle\b|\besc to interrupt\b/;

/**
 * The last options of dialogs that draw nothing below their options: the permission dialog of 2.0.30, a plan without a
 * file, and the summary of several questions.
 */
const LAST_OPTION = {
  permission: /^No, and tell Claude what to do differently \(esc\)$/,
  plan: /^No$/,
  question: /^Cancel$/,
  setup: null,
} as const;

/** The part of a dialog that has been drawn. */
interface DrawnDialog {
  frame: ScreenFrame;
  /** the row of the upper edge, or -1 if the window does not show the edge */
  edge: number;
  kind: DialogKind;
  /** the lines of the dialog, without its own border */
  lines: readonly string[];
  options: readonly { row: number; isChosen: boolean }[];
  lastLabel: string;
  isBordered: boolean;
}

/**
 * Reports whether a dialog has been drawn to its end. Claude Code draws from top to bottom, so anything below the
 * options proves that all options have been drawn. That can be the lower edge of the box (1.0), the line of key hints,
 * or an option that is always the last one. If one dialog replaces another, the line of key hints may belong to the old
 * dialog, and the position of the cursor then decides. After drawing a dialog, Claude Code leaves the cursor below
 * everything (1.0 to 2.1.50) or at the marker (from 2.1.150 on). In dialogs that the user opened, the cursor may also
 * be in the search field or in the tabs above the options (2.1.330). It is elsewhere only while Claude Code is drawing
 * or someone is typing.
 */
export function isDrawnWhole(dialog: DrawnDialog): boolean {
  return isAtRest(dialog) && hasBeginning(dialog) && hasEnd(dialog);
}

/** Matches a line of the conversation. The lines of a dialog are indented, except for the marker before a number. */
const CONVERSATION = /^[❯>●⏺](?! \d+\.)/;
/**
 * Only the answer to a permission request can be amended. In a set-up dialog, this hint means that the question of the
 * permission dialog has not been drawn yet, or is no longer visible.
 */
const AMENDED = /\bto amend\b/;

/**
 * Reports whether the beginning of the dialog has been drawn. Either the window shows the upper edge, or the dialog is
 * taller than the window.
 */
function hasBeginning({ kind, edge, lines, options }: DrawnDialog): boolean {
  const first = options[0]?.row ?? 0;
  const isHigher = lines.slice(0, first).some((line) => line.trim() !== '');
  if (edge < 0 && (!isHigher || lines.slice(0, first + 1).some((line) => CONVERSATION.test(line)))) return false;
  return kind !== 'setup' || !lines.slice(first).some((line) => AMENDED.test(line));
}

function hasEnd({ frame, kind, lines, options, lastLabel, isBordered }: DrawnDialog): boolean {
  const below = (options.at(-1)?.row ?? 0) + 1;
  if (isBordered) return frame.lines.slice(below).some(isBoxBottom);
  // The model writes the descriptions, and may mention keys in them. A blank line separates the last description from
  // the line of key hints.
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
