/**
 * Escapes the three characters that begin or end markup, so that a program that interprets markup shows the text as it
 * is.
 */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
