/** A terminal row. `isWrapped` is true if the row continues the line above it. */
export interface ScreenRow {
  text: string;
  isWrapped: boolean;
}

/** Matches Claude Code's spinner line, which changes every second because it contains a time and a token count. */
const SPINNER = /^[·✢✳✶✻✽*∗⏺✺] ?\p{L}[\p{L} ]*…/u;
/**
 * A line with fewer letters and digits than this is a frame, a prompt mark, or a counter, except that a single
 * ideograph is already a word.
 */
const LEAST_CHARACTERS = 2;
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Joins wrapped rows into lines and returns the lines that are worth finding, that is, all but borders, empty lines,
 * and the spinner.
 */
export function readableLines(rows: readonly ScreenRow[]): string[] {
  const lines: string[] = [];
  for (const { text, isWrapped } of rows) {
    if (isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.map(withoutFrame).filter(isReadable);
}

/** Returns a line without the left and right borders of a box that surrounds it. */
function withoutFrame(line: string): string {
  return line.replace(/^[\s│┃║|]+|[\s│┃║|]+$/g, '').replace(/\s{2,}/g, ' ');
}

function isReadable(line: string): boolean {
  if (SPINNER.test(line)) return false;
  const characters = line.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return characters >= LEAST_CHARACTERS || IDEOGRAPH.test(line);
}
