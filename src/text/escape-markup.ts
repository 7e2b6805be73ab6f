/** Escapes the three characters that begin or end markup, so that a program that reads markup shows the text as is. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
