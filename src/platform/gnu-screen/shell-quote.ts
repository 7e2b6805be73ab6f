/**
 * Quotes a string as one word for a POSIX shell. In single quotes only the single quote is special. Used for files
 * and lines that CBOS generates itself. Text from users only ever goes into a script *file* in this way.
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes several words. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}
