import { Lexer, type Token } from 'marked';

/**
 * How deeply containers may be nested. Each level scans all text inside it, and a few thousand levels overflow the
 * stack (marked 18.2.1).
 */
const MOST_LEVELS = 30;
/**
 * The maximum length of a paragraph or cell. For some input, marked takes quadratic time: 3.4 s for `a.` repeated
 * 10,000 times, followed by an `@`.
 */
const MOST_INLINE_CHARS = 5_000;
/** How long parsing may block the page. Text that has not been parsed within this time is shown unformatted. */
const BUDGET_MS = 200;

/** Matches the beginning of a line: spaces, quote marks, and list markers. */
const CONTAINERS = /^(?:[ \t]|>|[-+*][ \t]|\d{1,9}[.)][ \t])*/;
const MARK = /[->+*]|\d+/g;
const INDENT_OF_A_LEVEL = 2;

/**
 * Parses Markdown from a session within a time limit, no matter what it contains. Inline markup is the slow part, so a
 * paragraph that is too long is left as plain text, and so is everything that remains when the time is up.
 * @returns null if the text is nested too deeply
 */
export function readMarkdown(text: string, elapsed: () => number): Token[] | null {
  if (text.split('\n').some((line) => levelsOf(line) > MOST_LEVELS)) return null;
  const end = elapsed() + BUDGET_MS;
  const lexer = new Lexer({ gfm: true });
  const tokens = lexer.blockTokens(text.replace(/\r\n?/g, '\n'), lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length > MOST_INLINE_CHARS || elapsed() > end) tokens.push({ type: 'text', raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return tokens;
}

function levelsOf(line: string): number {
  const start = CONTAINERS.exec(line)?.[0] ?? '';
  const marks = start.match(MARK)?.length ?? 0;
  return marks === 0 ? 0 : marks + Math.floor((start.length - start.trimStart().length) / INDENT_OF_A_LEVEL);
}
