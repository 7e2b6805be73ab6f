/** A row of a terminal; `isWrapped` where it goes on with the text of the row above. */
export interface ScreenRow {
  text: string;
  isWrapped: boolean;
}

/** What Claude Code's spinner says while it works, with its time and count: another line every second. */
const SPINNER = /^[·✢✳✶✻✽*∗⏺✺] ?\p{L}[\p{L} ]*…/u;
/** Fewer letters and digits than this are a frame, a prompt's mark or a counter; one ideograph is a word. */
const LEAST_CHARACTERS = 2;
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * The lines that rows make together, those that are worth finding again: without frames, empty ones and the spinner.
 */
export function readableLines(rows: readonly ScreenRow[]): string[] {
  const lines: string[] = [];
  for (const { text, isWrapped } of rows) {
    if (isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.map(withoutFrame).filter(isReadable);
}

/** Without the sides of a box around it. */
function withoutFrame(line: string): string {
  return line.replace(/^[\s│┃║|]+|[\s│┃║|]+$/g, '').replace(/\s{2,}/g, ' ');
}

function isReadable(line: string): boolean {
  if (SPINNER.test(line)) return false;
  const characters = line.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return characters >= LEAST_CHARACTERS || IDEOGRAPH.test(line);
}
