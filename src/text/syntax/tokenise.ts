import { type StreamParser, StringStream } from '@codemirror/streamparser';
import type { LanguageName } from './languages.ts';
import { LANGUAGES } from './parsers.ts';
import { addToken, type Tokens } from './tokens.ts';

/**
 * The maximum length of a line that is coloured. People do not write longer lines of code, and the time that a parser
 * takes may grow with the third power of the length: the parser for YAML took 0.8 s for 1,000 spaces.
 */
const LONGEST_LINE = 500;
/** Matches more spaces in a row than aligned code has. They are what slow parsers are slow at. */
const LONG_GAP = /\s{41}/;
/** How long a parser may take for all of a text or patch. That is fifty times as long as 10,000 lines take. */
const MOST_MS = 5_000;
/** How long a parser may take for one line. A parser cannot be stopped before the end of a token. */
const MOST_LINE_MS = 500;
/** How many times in a row a parser may return an empty token, which is its way to change its own state. */
const MOST_EMPTY_TOKENS = 10;
/** Parsers use these only to find out how far lines are indented. */
const TAB_SIZE = 4;
const INDENT_UNIT = 2;

/**
 * The time that parsers may take. Code from a session may be made to slow a parser down, so once the time is over, all
 * code that shares it stays plain.
 */
export interface Budget {
  now(): number;
  leftMs: number;
}

/** @param now a clock, in milliseconds */
export function createBudget(now: () => number): Budget {
  return { now, leftMs: MOST_MS };
}

/** Splits code into tokens, line by line. It remembers strings and comments that continue on the next line. */
export interface Tokeniser {
  /**
   * Returns the tokens of the next line. A line that is too long or has too long a gap is plain, and the next line is
   * read as if this one were not there.
   */
  next(line: string): Tokens;
}

/** Creates a tokeniser for code that begins at the start of a file. */
export function createTokeniser(language: LanguageName, budget: Budget): Tokeniser {
  const { parser } = LANGUAGES[language];
  const state: unknown = parser.startState?.(INDENT_UNIT) ?? {};
  let hasFailed = false;
  return {
    next(line) {
      if (hasFailed || budget.leftMs <= 0 || line.length > LONGEST_LINE || LONG_GAP.test(line)) return [];
      const began = budget.now();
      const spentMs = (): number => budget.now() - began;
      try {
        const tokens = readLine({ parser, state, line, isOver: () => spentMs() > MOST_LINE_MS });
        budget.leftMs = tokens === null ? 0 : budget.leftMs - spentMs();
        return tokens ?? [];
      } catch {
        // The parsers are made for code, but this may be anything. Nobody needs the colours of what is not code.
        hasFailed = true;
        return [];
      }
    },
  };
}

/** Returns the line's tokens, or null if the time for the line is over. @throws Error if the parser cannot go on */
function readLine(options: {
  parser: StreamParser<unknown>;
  state: unknown;
  line: string;
  isOver: () => boolean;
}): Tokens | null {
  const { parser, state, line, isOver } = options;
  if (line === '') {
    parser.blankLine?.(state, INDENT_UNIT);
    return [];
  }
  const tokens: number[] = [];
  const stream = new StringStream(line, TAB_SIZE, INDENT_UNIT);
  let emptyCount = 0;
  while (!stream.eol()) {
    stream.start = stream.pos;
    const style = parser.token(stream, state);
    if (isOver()) return null;
    if (stream.pos > stream.start) {
      addToken(tokens, stream.pos, style);
      emptyCount = 0;
    } else if (++emptyCount > MOST_EMPTY_TOKENS) {
      throw new Error(`the parser does not go on at column ${stream.pos}`);
    }
  }
  return tokens;
}

/** Returns the tokens of each line of a text. @param now a clock, in milliseconds */
export function tokeniseText(text: string, language: LanguageName, now: () => number): Tokens[] {
  const tokeniser = createTokeniser(language, createBudget(now));
  return text.split('\n').map((line) => tokeniser.next(line));
}
