/**
 * Quotes a string as one word for a POSIX shell. Inside single quotes, only the single quote itself is special. CBOS
 * uses this for files and command lines that it generates. Text from users is quoted this way only in script *files*.
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes several words for a POSIX shell and joins them with spaces. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}
