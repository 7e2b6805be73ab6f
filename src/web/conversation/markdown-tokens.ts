import { Lexer, type Token } from 'marked';

/**
 * Containers within each other. Each costs a look at all that is in it, and some thousand overflow the stack (marked
 * 18.2.1).
 */
const MOST_LEVELS = 30;
/** Of one paragraph or cell. marked takes time by its square for some: 3.4 s for `a.` 10,000 times and an `@`. */
const MOST_INLINE_CHARS = 5_000;
/** What a page may stand still for. What is not reached by then is shown as it was written. */
const BUDGET_MS = 200;

/** What a line begins with: blanks, marks of quotes and of lists. */
const CONTAINERS = /^(?:[ \t]|>|[-+*][ \t]|\d{1,9}[.)][ \t])*/;
const MARK = /[->+*]|\d+/g;
const INDENT_OF_A_LEVEL = 2;

/**
 * Reads a session's markdown within a bound of time, whatever it is: the text between two marks is what takes long, so
 * a paragraph that is too long, and all after the budget is spent, stays plain text.
 * @returns null for a text with too many levels to be a document
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
