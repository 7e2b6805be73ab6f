import { graphemes } from './graphemes.ts';

/**
 * The ranges of code points that take two cells, in ascending order: East Asian Wide and Fullwidth characters of
 * Unicode 16, by block (including unassigned gaps), and the emoji that are drawn as pictures by default.
 */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f1e6, 0x1f320],
  [0x1f32d, 0x1f335],
  [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca],
  [0x1f3cf, 0x1f3d3],
  [0x1f3e0, 0x1f3f0],
  [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f54b, 0x1f54e],
  [0x1f550, 0x1f567],
  [0x1f57a, 0x1f57a],
  [0x1f595, 0x1f596],
  [0x1f5a4, 0x1f5a4],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f6cc, 0x1f6cc],
  [0x1f6d0, 0x1f6d2],
  [0x1f6d5, 0x1f6df],
  [0x1f6eb, 0x1f6ec],
  [0x1f6f4, 0x1f6fc],
  [0x1f7e0, 0x1f7eb],
  [0x1f7f0, 0x1f7f0],
  [0x1f90c, 0x1f93a],
  [0x1f93c, 0x1f945],
  [0x1f947, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

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
  const codePoint = grapheme.codePointAt(0) ?? 0;
  if (/^[\p{Mn}\p{Me}\p{Cc}\p{Cf}]/u.test(grapheme)) return 0;
  return isWide(codePoint) || grapheme.includes(PICTURE) ? 2 : 1;
}

function isWide(codePoint: number): boolean {
  return WIDE.some(([from, to]) => codePoint >= from && codePoint <= to);
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
