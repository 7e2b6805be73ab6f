import { graphemes } from './graphemes.ts';

/**
 * Matches characters that take two cells: the emoji that are drawn as pictures by default, and East Asian Wide and
 * Fullwidth characters of Unicode 16, by block (including unassigned gaps).
 */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f6d5}-\u{1f6df}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * Matches strings of characters that take one cell in every terminal and never combine with others: Latin, Greek,
 * Cyrillic, punctuation, arrows, box drawing, and the icons of states. Nearly every string that CBOS shows is of this
 * kind, and splitting text into graphemes takes a hundred times as long.
 */
const PLAIN =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff\u2298\u2500-\u25fc\u2713\u2717\u276f]*$/;

/** The emoji variation selector turns the preceding text symbol into a picture that takes two cells. */
const PICTURE = '\ufe0f';

/**
 * Returns how many terminal cells a line of text takes. Control characters count as zero cells, so clean the text
 * first.
 */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cc}\p{Cf}]/u.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes(PICTURE) ? 2 : 1;
}

/**
 * Cuts off the end of a string so that it fits a number of cells, and marks the cut with `…`. A character that takes
 * two cells is never split. The function reads no more of the string than necessary.
 */
export function truncate(text: string, cells: number): string {
  if (PLAIN.test(text)) {
    if (text.length <= cells) return text;
    return cells > 0 ? `${text.slice(0, cells - 1).trimEnd()}…` : '';
  }
  let width = 0;
  let kept = '';
  let all = '';
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > cells) return cells > 0 ? `${kept.trimEnd()}…` : '';
    all += grapheme;
    if (width <= cells - 1) kept = all;
  }
  return text;
}

/**
 * Cuts off the beginning of a string so that it fits a number of cells. Use this for paths, whose end says more than
 * their beginning.
 */
export function truncateStart(text: string, cells: number): string {
  if (displayWidth(text) <= cells) return text;
  const segments = PLAIN.test(text) ? [...text] : [...graphemes(text)];
  let width = 1;
  let first = segments.length;
  while (first > 0 && width + graphemeWidth(segments[first - 1] ?? '') <= cells) {
    first -= 1;
    width += graphemeWidth(segments[first] ?? '');
  }
  return cells > 0 ? `…${segments.slice(first).join('').trimStart()}` : '';
}

/**
 * Cuts out the middle of a string so that it fits a number of cells. Use this for names that may share their beginning
 * or end with other names.
 */
export function truncateMiddle(text: string, cells: number): string {
  if (displayWidth(text) <= cells) return text;
  const head = truncate(text, Math.ceil((cells + 1) / 2));
  return head + truncateStart(text, cells - displayWidth(head) + 1).slice(1);
}

/** Pads a string on the right with spaces. */
export function padEnd(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - displayWidth(text)));
}
