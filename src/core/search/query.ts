/**
 * Matches words as SQLite's unicode61 tokenizer splits them: letters with their marks, and digits. Chinese, Japanese,
 * and Korean are written without spaces, so each of their characters counts as a word of its own. A search for such
 * text is therefore a search for a sequence of characters.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー]|\p{Emoji_Presentation}|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー])[\p{L}\p{N}\p{M}\p{Co}])+/gu;
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}々〆ー]/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** A search term: one or more words that directly follow each other. */
export interface SearchTerm {
  /** the words of the term, as the user typed them */
  words: readonly string[];
  /** whether the last word may be just the beginning of a longer word */
  isPrefix: boolean;
}

/** The maximum number of terms that a search uses. Additional terms hardly change what it finds. */
const MOST_TERMS = 20;
/** The minimum length of a prefix to search for. Too many words share any single first letter. */
const SHORTEST_PREFIX = 2;

/** Returns the words in a string. Full-width and other compatibility forms are treated like the plain forms. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').match(WORD) ?? [];
}

/** Returns a string in the form that the index stores, with its words separated by spaces. */
export function indexText(text: string): string {
  return wordsOf(text).map(indexWord).join(' ');
}

/** Converts each emoji into a word like `u1f680`, because the tokenizer does not treat emoji as words. */
function indexWord(word: string): string {
  return EMOJI.test(word) ? `u${word.codePointAt(0)?.toString(16)}` : word;
}

/** Parses what the user typed. Every input is valid. Input without any words finds nothing. */
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

/** Returns the terms in the FTS5 query language. All words are quoted, so none of them can act as an operator. */
export function matchExpression(terms: readonly SearchTerm[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.map(indexWord).join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}
