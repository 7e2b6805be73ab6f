/** Quotes a string as a single word for a POSIX shell, so that the shell executes nothing in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a string as a single word of a command to copy. It is quoted only if a shell might change it. */
export function shellWord(text: string): string {
  return /^[\w./@%+:,-]+$/.test(text) ? text : shellQuote(text);
}
