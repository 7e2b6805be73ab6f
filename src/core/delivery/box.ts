import type { ScreenFrame, ScreenReading } from '../status/index.ts';
import { isRule } from '../status/screen/rule-line.ts';

/**
 * Returns the text as Claude Code reports it after normalizing it (2.1.329): each tab becomes four spaces, and trailing
 * spaces are removed. Apply this function to both sides of a comparison.
 */
export function normalisePrompt(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').trim();
}

/**
 * Reports whether the screen shows an empty prompt. The result is false while a view covers the prompt, because its
 * content is then unknown.
 */
export function isEmptyBox({ draft, cover, dialog, primary }: ScreenReading): boolean {
  return draft === null && cover === null && dialog === null && primary !== null;
}

/** Returns the text without spaces. The box changes spaces when it wraps lines. */
export const squeeze = (text: string): string => text.replace(/\s+/g, '');

/** How far the lines inside the prompt's box are indented, and the maximum number of lines below the box. */
const BOX_INDENT = /^ {2}/;
const LINES_BELOW_BOX = 6;

/**
 * Matches the upper border of a box that is too small for its text. Such a box hides its first lines and the prompt's
 * mark (2.1.330).
 */
const MORE_ABOVE = /^─+ ↑ \d+ more ─+$/;
/** Matches the lower border of a box. After a resize, the footer may cover part of this border for a moment. */
const LOWER_RULE = /^──.*─$/;

/**
 * Returns the visible part of a message that is longer than the prompt's box. Such a box shows only the end of the
 * text, without the prompt's mark. A message of about 40 lines pushes the upper border off the screen (2.1.329). Only
 * then is every row from the top of the window down to a border indented. Other versions show in the upper border how
 * many lines are hidden.
 * @returns null if the screen shows anything else
 */
export function draftFillingWindow({ lines, cols }: ScreenFrame): string | null {
  const top = lines.findLastIndex((line) => MORE_ABOVE.test(line));
  const bottom = lines.findLastIndex((line) => (top < 0 ? isRule(line, cols) : LOWER_RULE.test(line)));
  if (bottom < lines.length - LINES_BELOW_BOX || (top < 0 && lines[0]?.trim() === '')) return null;
  const box = lines.slice(top + 1, bottom);
  return box.length > 0 && box.every((line) => line.trim() === '' || BOX_INDENT.test(line)) ? box.join('\n') : null;
}

/**
 * The content of the prompt's box, compared with a message that was typed into it. The box wraps and indents lines. If
 * a message is too long, the box shows only its end. If a paste is large, the box shows a placeholder.
 */
export type BoxHolds =
  /** the box shows exactly the message, as far as the box can show it */
  | 'text'
  /** the box shows the message together with something that someone else typed */
  | 'more'
  /** the box shows nothing yet, only part of the message, or something that CBOS does not recognize */
  | 'other';

/** Claude Code shows `[Pasted text #1 +12 lines]` for a paste of more than 800 characters (1.0.128 to 2.1.329). */
const PLACEHOLDER = /\[Pasted text #\d+(?: \+\d+ lines)?\]/g;

export const hasPlaceholder = (draft: string): boolean => draft.search(PLACEHOLDER) >= 0;

/**
 * Reports whether the box shows a single placeholder and nothing else, and whether the placeholder's line count matches
 * the text.
 */
export function isPlaceholderFor(draft: string, text: string): boolean {
  const alone = ALONE.exec(draft.trim());
  return alone !== null && Number(alone[1] ?? 0) === text.split('\n').length - 1;
}
const ALONE = /^\[Pasted text #\d+(?: \+(\d+) lines)?\]$/;

/**
 * How many characters at the end of a message are enough to distinguish it from all other messages. The box may not
 * show more than this.
 */
const TELLING_LETTERS = 200;

/**
 * @param draft the content of the box, as the screen shows it
 * @param text the message, as it was typed
 */
export function boxHolds(draft: string, text: string): BoxHolds {
  const typed = lettersOf(text);
  const all = lettersOf(draft);
  const shown = lettersOf(draft.replaceAll(PLACEHOLDER, ''));
  if (typed === '') return 'other';
  if (shown === typed || (shown.length < all.length && shown === '')) return 'text';
  if (shown.length >= TELLING_LETTERS && typed.endsWith(shown)) return 'text';
  return shown.includes(typed.slice(-TELLING_LETTERS)) ? 'more' : 'other';
}

/**
 * Works like {@link boxHolds}, for messages that came back into the box together. Returns `other` while the box also
 * contains another of the `possible` messages, which means that the transcript has not yet reported all of them.
 */
export function boxHoldsReturned(draft: string, returned: readonly string[], possible: readonly string[]): BoxHolds {
  const holds = boxHolds(draft, returned.join('\n'));
  const isAnother = (text: string): boolean => {
    const same = returned.filter((one) => one === text);
    return boxHolds(draft, [...same, text].join('\n')) !== 'other';
  };
  return holds === 'more' && possible.some(isAnother) ? 'other' : holds;
}

/**
 * Returns which of several messages together fill the box, as happens when an interrupt puts them back.
 * @returns the indices of the messages, in the order in which the box shows them, or null if the box contains anything
 * else
 */
export function textsInBox(draft: string, texts: readonly string[]): number[] | null {
  // The longest message is tried first, because a short message may be the beginning of a longer one.
  const left = texts
    .map((text, index) => ({ index, letters: lettersOf(text) }))
    .filter(({ letters }) => letters !== '')
    .sort((a, b) => b.letters.length - a.letters.length);
  const found: number[] = [];
  let rest = lettersOf(draft);
  while (rest !== '') {
    const at = left.findIndex(({ letters }) => rest.startsWith(letters));
    const [next] = at < 0 ? [] : left.splice(at, 1);
    if (next === undefined) return null;
    found.push(next.index);
    rest = rest.slice(next.letters.length);
  }
  return found.length === 0 ? null : found;
}

/**
 * Returns the part of a message that looks the same in the box. The box changes spaces and line breaks, and it draws a
 * leading `!` as the prompt's mark. The terminal keeps only part of a joined emoji (👩‍👩‍👧‍👦).
 */
const lettersOf = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\s\p{C}\p{M}\p{So}\p{Sk}]+/gu, '')
    .replace(/^!/, '');
