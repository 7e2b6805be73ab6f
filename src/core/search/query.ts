/**
 * Words, as SQLite's tokenizer unicode61 cuts them: letters with their marks, digits. Chinese, Japanese and Korean are
 * written without blanks, so there each character is a word of its own, and what is looked for is a row of them: one or
 * two characters are found as well as twenty.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー]|\p{Emoji_Presentation}|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー])[\p{L}\p{N}\p{M}\p{Co}])+/gu;
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー]/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** What one looks for: words that stand one after the other. */
export interface SearchTerm {
  /** as they were typed */
  words: readonly string[];
  /** the last word may go on */
  isPrefix: boolean;
}

/** More words than this find nothing that fewer do not. */
const MOST_TERMS = 20;
/** One letter begins too many words to be of use. */
const SHORTEST_PREFIX = 2;

/** The words of a text. Full-width and other forms of compatibility count as the plain ones. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').match(WORD) ?? [];
}

/** A text as it goes into the index: its words with blanks between. */
export function indexText(text: string): string {
  return wordsOf(text).map(indexWord).join(' ');
}

/** Emoji are no words for the tokenizer, so each becomes one: `u1f680`. */
function indexWord(word: string): string {
  return EMOJI.test(word) ? `u${word.codePointAt(0)?.toString(16)}` : word;
}

/** Reads what a person typed. Any text is fine; one without words finds nothing. */
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

/** The terms in the language of FTS5: nothing but quoted words, so no text can be an operator. */
export function matchExpression(terms: readonly SearchTerm[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.map(indexWord).join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}
