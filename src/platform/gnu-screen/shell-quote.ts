/**
 * A word for a POSIX shell that stands for exactly this text: in single quotes nothing is special but the single quote.
 * Used for files and lines that CBOS generates itself; text of users only ever gets into a script *file* this way.
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Several words, each quoted. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}
