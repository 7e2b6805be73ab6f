import { lowestRule } from './rule-line.ts';
import type { ScreenFrame } from './screen-evidence.ts';

/** The part of the window above the prompt's box. */
type Window = Pick<ScreenFrame, 'lines' | 'cols'>;

/** Matches the last line of a view that is drawn above the prompt's box. Esc closes each of them (2.1.330). */
const CLOSED_ABOVE = /^ {2}(?:\S.* )?Esc to (?:close|go back|cancel)$/;
/** Matches that line in a view that is taller than the window, which then does not show the rule above the view. */
const CLOSED_TALL = /^ {2}(?:\S.* to \S.* · )?Esc to close$/;
/** Matches the title of the answer to `/btw`, which has no rule above it. */
const ASIDE = /^ {2}\/btw\b/;
/** Matches a line of a view. Only lines of the conversation begin at the left edge. */
const INSIDE = /^(?: {2}|\s*$)/;
/** Matches a hint that Claude Code shows only while the prompt's box takes the keys (2.1.330). */
const TAKES_KEYS = /\besc to int|\? for shortcuts\b/;

/** The view above the prompt's box. */
export interface ViewAbove {
  /** the row of its title, or its first visible row */
  row: number;
  /** whether the window shows the title */
  isWhole: boolean;
}

/**
 * Returns the view that is open above the prompt's box, or null if none is open. Claude Code draws a view there that a
 * person opens during a turn. The view stays open after the turn, and the box below it is empty and takes no text
 * (2.1.330).
 * @param footer Claude Code's own lines below the box
 */
export function viewAbove({ lines, cols }: Window, footer: string): ViewAbove | null {
  const last = (lines.findLast((line) => line.trim() !== '') ?? '').trimEnd();
  if (!CLOSED_ABOVE.test(last)) return null;
  const rule = lowestRule({ lines, cols });
  const aside = lines.findLastIndex((line) => ASIDE.test(line));
  const row = rule < 0 ? Math.max(aside, 0) : rule + 1;
  if (!lines.slice(row).every((line) => INSIDE.test(line))) return null;
  const isWhole = rule >= 0 || aside >= 0;
  if (rule < 0 && (TAKES_KEYS.test(footer) || !(isWhole || CLOSED_TALL.test(last)))) return null;
  return { row, isWhole };
}
