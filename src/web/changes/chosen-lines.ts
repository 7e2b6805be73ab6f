import { signal } from '@preact/signals';
import type { ReviewComment, ReviewSide } from '../../protocol/index.ts';
import type { PatchRow } from '../../text/patch-rows.ts';

/** The lines of a file that a new comment will cover. */
export interface ChosenLines {
  slug: string;
  file: string;
  side: ReviewSide;
  line: number;
  endLine: number;
}

export const chosenLines = signal<ChosenLines | null>(null);

/** Returns the line that a row shows, if the user can comment on it. Removed lines exist only in the base. */
export function rowPlace({ old, now }: PatchRow): { side: ReviewSide; line: number } | null {
  if (now !== null) return { side: 'now', line: now };
  return old === null ? null : { side: 'base', line: old };
}

/** Chooses a line, or all lines between the line that was chosen before and this one. */
export function chooseLine(
  at: { slug: string; file: string; side: ReviewSide; line: number },
  extends_: boolean,
): void {
  const before = chosenLines.peek();
  const { line, ...of } = at;
  const isSame = before !== null && before.slug === of.slug && before.file === of.file && before.side === of.side;
  chosenLines.value =
    extends_ && isSame
      ? { ...of, line: Math.min(before.line, line), endLine: Math.max(before.endLine, line) }
      : { ...of, line, endLine: line };
}

/** Reports whether a line is one of the chosen lines, or one of the lines of a comment. */
export function isWithin(place: { side: ReviewSide; line: number }, of: Omit<ChosenLines, 'slug' | 'file'>): boolean {
  return place.side === of.side && place.line >= of.line && place.line <= of.endLine;
}

/** Returns where a comment's lines are now, or null if the comment is outdated. */
export function linesOf({ side, anchor }: ReviewComment): Omit<ChosenLines, 'slug' | 'file'> | null {
  return anchor.line === null || anchor.end_line === null
    ? null
    : { side, line: anchor.line, endLine: anchor.end_line };
}
