/**
 * Words as SQLite's tokenizer unicode61 cuts them: letters with their marks, and digits. Chinese, Japanese and Korean
 * are written without blanks, so each of their characters is a word of its own. A search then looks for a row of
 * characters, and finds one or two as well as twenty.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー]|\p{Emoji_Presentation}|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー])[\p{L}\p{N}\p{M}\p{Co}])+/gu;
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー]/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** A search term: words that follow each other directly. */
export interface SearchTerm {
  /** the words as they were typed */
  words: readonly string[];
  /** whether the last word may continue */
  isPrefix: boolean;
}

/** How many terms are used at most: more find nothing that fewer do not. */
const MOST_TERMS = 20;
/** The shortest prefix that is searched for: one letter begins too many words. */
const SHORTEST_PREFIX = 2;

/** The words of a text. Full-width and other compatibility forms count as the plain forms. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').match(WORD) ?? [];
}

/** A text as it is stored in the index: its words separated by blanks. */
export function indexText(text: string): string {
  return wordsOf(text).map(indexWord).join(' ');
}

/** The tokenizer does not treat emoji as words, so each becomes a word like `u1f680`. */
function indexWord(word: string): string {
  return EMOJI.test(word) ? `u${word.codePointAt(0)?.toString(16)}` : word;
}

/** Reads what a person typed. Any text is valid; a text without words finds nothing. */
export function parseSearch(query: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (const [, quoted, plain = ''] of query.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const words = wordsOf(quoted ?? plain);
    const last = words.at(-1);
    if (last === undefined) continue;
    const isWhole = quoted !== undefined || last.length < SHORTEST_PREFIX || IDEOGRAPH.test(last) || EMOJI.test(last);
    terms.push({ words, isPrefix: !isWhole });
    if (terms.length === MOST_TERMS) break;
  }
  return terms;
}

/** The terms in the query language of FTS5. All words are quoted, so no text can be an operator. */
export function matchExpression(terms: readonly SearchTerm[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.map(indexWord).join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}
