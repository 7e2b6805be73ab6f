/**
 * Reads along a screen that keeps no scrollback (the alternate one), and gives the lines that went off it for good, in
 * their order. Programs draw such a screen anew in place, so what a person read has to be found by comparing: lines
 * that moved up push out the lines above them; a screen that is replaced as a whole goes as a whole; what changes in
 * place (a spinner, an answer as it grows) is read when it goes or when it is the last.
 */
export class ScreenReader {
  #shown: readonly string[] = [];

  /** The screen now. @returns the lines that went since */
  see(lines: readonly string[]): string[] {
    const before = this.#shown;
    this.#shown = lines;
    return linesGone(before, lines);
  }

  /** The screen is left: what stood there last. */
  leave(): string[] {
    const last = withoutBlankEnds(this.#shown);
    this.#shown = [];
    return last;
  }
}

/** Of the lines before, so few still stand somewhere: another screen, not the same one with changes. */
const REPLACED_BELOW = 0.2;

/** Fewer lines than this that are all drawn anew are something that moves in place, a logo or a list of tasks. */
const LEAST_REPLACED = 4;
/** Fewer lines that agree after a move than this are chance: an animated logo has rows that look alike. */
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

/** Lines at the bottom that stand where they stood: a prompt does not scroll with what is above it. */
function fixedBottom(before: readonly string[], now: readonly string[]): number {
  const most = Math.min(before.length, now.length);
  let count = 0;
  while (count < most && before[before.length - 1 - count] === now[now.length - 1 - count]) count++;
  return count;
}

/** By how many lines the text moved up: where more lines agree than without a move. 0: it did not. */
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
