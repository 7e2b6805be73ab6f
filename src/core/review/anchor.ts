import type { ReviewAnchor } from '../../protocol/index.ts';

/**
 * How many lines above and below a comment are kept, so that CBOS can find the commented lines again. A git hunk shows
 * the same number of lines.
 */
export const CONTEXT_LINES = 3;

/** Lines of a file as they were when a user commented on them. */
export interface CommentedLines {
  /** the number of the first of these lines, counted from 1 */
  line: number;
  before: readonly string[];
  lines: readonly string[];
  after: readonly string[];
}

/** Returns the given lines of a file together with the lines around them, or null if the file does not contain them. */
export function commentedLines(file: readonly string[], line: number, endLine: number): CommentedLines | null {
  if (line < 1 || endLine < line || endLine > file.length) return null;
  return {
    line,
    before: file.slice(Math.max(0, line - 1 - CONTEXT_LINES), line - 1),
    lines: file.slice(line - 1, endLine),
    after: file.slice(endLine, endLine + CONTEXT_LINES),
  };
}

const OUTDATED: ReviewAnchor = { state: 'outdated', line: null, end_line: null };

/**
 * Finds the commented lines in a file that may have changed. If the same lines occur in several places, the place that
 * has kept most of the old surrounding lines wins, and among equals the nearest. Lines such as `}` also occur elsewhere
 * by chance. A new place therefore counts only if one of the old surrounding lines is next to it, unless the commented
 * lines are distinctive and occur only once.
 * @param file null if the file no longer exists or is no longer text
 */
export function anchorLines(commented: CommentedLines, file: readonly string[] | null): ReviewAnchor {
  if (file === null) return OUTDATED;
  const { line, lines } = commented;
  const places = placesOf(lines, file);
  const scored = places
    .map((at) => ({ at, around: linesAround(commented, file, at), away: Math.abs(at - (line - 1)) }))
    .sort((one, other) => other.around - one.around || one.away - other.away);
  const [best] = scored;
  if (best === undefined) return OUTDATED;
  const isSure = best.around > 0 || best.away === 0 || (places.length === 1 && lines.some(saysSomething));
  if (!isSure) return OUTDATED;
  return {
    state: best.away === 0 ? 'here' : 'moved',
    line: best.at + 1,
    end_line: best.at + lines.length,
  };
}

/** Returns the places in a file where the given lines begin. */
function placesOf(lines: readonly string[], file: readonly string[]): number[] {
  const [first] = lines;
  const places: number[] = [];
  for (let at = 0; at + lines.length <= file.length; at++) {
    if (file[at] === first && lines.every((line, index) => file[at + index] === line)) places.push(at);
  }
  return places;
}

/** Returns how many of the old surrounding lines are still adjacent to this place, without a gap. */
function linesAround({ before, lines, after }: CommentedLines, file: readonly string[], at: number): number {
  let above = 0;
  while (above < before.length && file[at - 1 - above] === before.at(-1 - above)) above++;
  let below = 0;
  while (below < after.length && file[at + lines.length + below] === after[below]) below++;
  // At the beginning and end of a file, there are no surrounding lines, and their absence also identifies a place.
  const isAtTop = before.length === 0 && at === 0;
  const isAtEnd = after.length === 0 && at + lines.length === file.length;
  return above + below + (isAtTop ? 1 : 0) + (isAtEnd ? 1 : 0);
}

const saysSomething = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
