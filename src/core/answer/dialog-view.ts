import type { Question, QuestionPart } from '../../protocol/index.ts';
import type { ScreenDialog, ScreenFrame } from '../status/screen/screen-evidence.ts';

/** An open dialog, as the latest frame shows it. */
export interface DialogView {
  frame: ScreenFrame;
  dialog: ScreenDialog | null;
}

/**
 * An option, identified by its index and by the label that it must have, or the free-text option, whatever its index.
 */
export type OptionRef = { index: number; label: string } | 'free_text';

/**
 * Reports whether the screen shows the dialog that a question belongs to. The status lags slightly behind the screen.
 * @param opened the screen at the start of the answer; if Claude's wording of the question is unknown, the current
 * screen must still show the same dialog as this one
 */
export function showsDialog(question: Question, opened: DialogView, now: DialogView): boolean {
  if (now.dialog === null) return false;
  const texts = question.questions.map(({ text }) => text);
  if (question.kind === 'question' && question.tool !== null) return partAt(now, texts) !== null;
  return isSameText(textOf(now), textOf(opened)) || isSummary(now);
}

/**
 * Reports whether the marked field contains the given text, ignoring spaces and line breaks. If Claude Code keeps the
 * cursor in the field (2.1.329), the text must also end at the cursor. Version 2.0.77 instead leaves the cursor below
 * the dialog.
 */
export function standsInField(frame: ScreenFrame, text: string): boolean {
  const tail = squeeze(text).slice(-TAIL_CHARACTERS);
  if (tail === '') return false;
  const { row, col } = frame.cursor;
  const toCursor = [...frame.lines.slice(0, row), (frame.lines[row] ?? '').slice(0, col)].join('');
  if (squeeze(toCursor).endsWith(tail)) return true;
  const marked = frame.lines.findLastIndex((line) => MARKED_ROW.test(line));
  const isBelow = frame.lines.slice(row).every((line) => line.trim() === '');
  return isBelow && marked >= 0 && squeeze(frame.lines.slice(marked).join('')).includes(tail);
}

const MARKED_ROW = /^│?\s*[❯>]\s*\d+\./;

/** How many characters at the end of a text are compared. The beginning may have scrolled out of view. */
const TAIL_CHARACTERS = 80;

/**
 * Returns the index of the question currently shown, counted from 0. For the summary page, returns the number of
 * questions. For anything else, returns null.
 */
export function partAt(view: DialogView, texts: readonly string[]): number | null {
  if (view.dialog === null) return null;
  if (isSummary(view)) return texts.length;
  const index = texts.findIndex((text) => isSameText(textOf(view), text));
  return index < 0 ? null : index;
}

const isSummary = (view: DialogView): boolean => optionsOf(view).some(({ means }) => means === 'submit');

/** Returns the current index of the option with this label, or -1 if there is none. */
export function findOption(view: DialogView, option: OptionRef): number {
  if (view.dialog === null) return -1;
  if (option === 'free_text') return view.dialog.freeText ?? -1;
  const shown = squeeze(firstColumn(optionsOf(view)[option.index]?.label ?? ''));
  const wanted = squeeze(firstColumn(option.label));
  // A long label continues on the next line, where the continuation looks like a description.
  const isIt = shown !== '' && (wanted.startsWith(shown) || shown.startsWith(wanted));
  return isIt ? option.index : -1;
}

/** Returns the text in the field of a question's free-text option, or null if the field is empty. */
export const textInField = (view: DialogView): string | null =>
  optionsOf(view)[findOption(view, 'free_text')]?.description ?? null;

/**
 * Returns the number of rows that the field may fill: the rows from its own number down to the next option's number.
 */
export function rowsOfField({ frame, dialog }: DialogView): number {
  const rowOf = (index: number): number =>
    frame.lines.findLastIndex((line) => new RegExp(`^\\s*[❯>]?\\s*${index + 1}\\.`).test(line));
  const at = dialog?.freeText ?? -1;
  return Math.max(1, rowOf(at + 1) - rowOf(at));
}

/** Returns an option's label without the preview that 2.1.329 draws next to it. */
const firstColumn = (label: string): string => label.split(/\s{2,}/, 1)[0] ?? '';

export const optionsOf = (view: DialogView): QuestionPart['options'] => view.dialog?.parts[0]?.options ?? [];

export const textOf = (view: DialogView): string => view.dialog?.parts[0]?.text ?? '';

/**
 * Reports whether two strings are equal, or equal except for the first lines of a long string, which the window may cut
 * off.
 */
function isSameText(shown: string, told: string): boolean {
  const [a, b] = [squeeze(shown), squeeze(told)];
  return a === b || (a !== '' && b.endsWith(a));
}

export const shows = (frame: ScreenFrame, text: string): boolean =>
  squeeze(frame.lines.join('')).includes(squeeze(text).slice(-TAIL_CHARACTERS));

export const hasHint = (frame: ScreenFrame, hint: RegExp): boolean => frame.lines.some((line) => hint.test(line));

/**
 * Removes spaces, line breaks, and the borders that 1.0 draws, so that texts that are wrapped differently compare
 * equal.
 */
export const squeeze = (text: string): string => text.replace(/[\s│]+/g, '');
