/**
 * Follows a screen without scrollback, such as the alternate screen, and returns, in order, the lines that have left it
 * permanently. Programs redraw such a screen in place, so the only way to find the lines that have left is to compare
 * screens. Lines that move up push out the lines above them. If the whole screen is replaced, all its lines leave.
 * Lines that change in place (a spinner, a growing answer) are returned when they leave or when the screen ends.
 */
export class ScreenReader {
  #shown: readonly string[] = [];

  /** Processes the current screen. @returns the lines that have left the screen since the last call */
  see(lines: readonly string[]): string[] {
    const before = this.#shown;
    this.#shown = lines;
    return linesGone(before, lines);
  }

  /** Ends the screen and returns the lines that are still on it. */
  leave(): string[] {
    const last = withoutBlankEnds(this.#shown);
    this.#shown = [];
    return last;
  }
}

/** If less of the old content than this is still on the screen, the screen was replaced rather than just changed. */
const REPLACED_BELOW = 0.2;

/** If fewer lines than this were completely redrawn, something changed in place, such as a logo or a task list. */
const LEAST_REPLACED = 4;
/**
 * If fewer lines than this match after a move, they match by chance, because the rows of an animated logo look alike.
 */
const LEAST_AGREEING = 3;

function linesGone(before: readonly string[], now: readonly string[]): string[] {
  const bottom = fixedBottom(before, now);
  const old = before.slice(0, before.length - bottom);
  const fresh = now.slice(0, now.length - bottom);
  const filled = old.filter((text) => text !== '');
  if (filled.length === 0) return [];
  const shift = findShift(old, fresh);
  if (shift > 0) return old.slice(0, shift);
  const standing = new Set(fresh);
  const kept = filled.filter((text) => standing.has(text)).length;
  return filled.length >= LEAST_REPLACED && kept < filled.length * REPLACED_BELOW ? withoutBlankEnds(old) : [];
}

/**
 * Returns how many lines at the bottom have not moved. A prompt, for example, does not scroll with the lines above it.
 */
function fixedBottom(before: readonly string[], now: readonly string[]): number {
  const most = Math.min(before.length, now.length);
  let count = 0;
  while (count < most && before[before.length - 1 - count] === now[now.length - 1 - count]) count++;
  return count;
}

/**
 * Returns by how many lines the text has moved up, or 0 if it has not moved. The move for which most lines match is
 * chosen.
 */
function findShift(old: readonly string[], fresh: readonly string[]): number {
  let best = { shift: 0, score: agreeing(old, fresh, 0) };
  for (let shift = 1; shift < old.length; shift++) {
    const score = agreeing(old, fresh, shift);
    const filled = old.slice(shift).filter((text) => text !== '').length;
    if (score > best.score && score >= LEAST_AGREEING && score * 2 >= filled) best = { shift, score };
  }
  return best.shift;
}

function agreeing(old: readonly string[], fresh: readonly string[], shift: number): number {
  let count = 0;
  for (let row = 0; row + shift < old.length && row < fresh.length; row++) {
    if (old[row + shift] !== '' && old[row + shift] === fresh[row]) count++;
  }
  return count;
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const first = lines.findIndex((text) => text !== '');
  const last = lines.findLastIndex((text) => text !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}
