import { graphemes } from '../../text/graphemes.ts';

/** A message that is safe to type into a terminal. */
export interface CleanText {
  text: string;
  /** how many control characters were removed; the end marker of a bracketed paste counts as one character */
  removed: number;
}

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/**
 * Matches the sequences that begin or end a bracketed paste, whether they are written with an escape character or in
 * their one-byte form. The whole sequence is removed, because the rest of it would remain in the text as garbage. Also
 * matches all control characters, including C1, except newline and tab.
 */
const FORBIDDEN = /(?:\x1b\[|\x9b)20[01]~|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Makes a message safe to paste. Line ends become `\n`. Other control characters, except tab, are removed and counted.
 */
export function cleanText(text: string): CleanText {
  let removed = 0;
  const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(FORBIDDEN, () => {
    removed += 1;
    return '';
  });
  return { text: clean, removed };
}

/**
 * Adds a space where Claude Code would misread the beginning or the end of a message. Claude Code trims that space
 * itself. A `\` at the end would turn Enter into a newline. An `@word` or a `/word` at the end would leave a list of
 * files or commands open, which then takes the Enter and completes the word. A `!` or `/` at the beginning would start
 * a command.
 */
export function guardText(text: string, options: { command: boolean }): string {
  const before = !options.command && /^[!/]/.test(text) ? ' ' : '';
  const isCompleted = options.command ? /@\S*$|\s\/\S*$/ : /@\S*$|(?:^|\s)\/\S*$/;
  const after = text.endsWith('\\') || isCompleted.test(text) ? ' ' : '';
  return `${before}${text}${after}`;
}

/**
 * Claude Code 2.1.150 and later wraps a paste of more than 800 characters or 3 newlines in `<pasted_content>`, which
 * the model trusts less. Smaller pastes are joined without any change.
 */
const CHUNK_BYTES = 700;
const CHUNK_NEWLINES = 2;
/**
 * The size above which many small pastes would take too long: 50 kB took 1.9 s (2.1.329). A larger message is sent as a
 * single paste.
 */
const CHUNKED_LIMIT_BYTES = 50_000;

/**
 * Returns the bytes that paste a message into a terminal program in bracketed-paste mode. The text must first have
 * passed through {@link cleanText}.
 * @param options.chunked whether to send many small pastes in a row, for Claude Code 2.1.150 and later; older versions
 * lose text that way and need a single paste
 */
export function encodePaste(text: string, options: { chunked: boolean }): string {
  const chunks = options.chunked && utf8Length(text) <= CHUNKED_LIMIT_BYTES ? bracketChunks(text) : [text];
  return chunks.map((chunk) => `${PASTE_START}${chunk}${PASTE_END}`).join('');
}

/**
 * Splits a message into parts of at most 700 bytes and 2 newlines each. It splits only between graphemes, because half
 * an emoji would be drawn and counted as two characters.
 */
export function bracketChunks(text: string): string[] {
  const chunks: string[] = [];
  let chunk = '';
  let bytes = 0;
  let newlines = 0;
  for (const segment of graphemes(text)) {
    const size = utf8Length(segment);
    const breaks = segment === '\n' ? 1 : 0;
    if (chunk !== '' && (bytes + size > CHUNK_BYTES || newlines + breaks > CHUNK_NEWLINES)) {
      chunks.push(chunk);
      chunk = '';
      bytes = 0;
      newlines = 0;
    }
    chunk += segment;
    bytes += size;
    newlines += breaks;
  }
  if (chunk !== '' || chunks.length === 0) chunks.push(chunk);
  return chunks;
}

/**
 * Returns the length of the text in UTF-8. A lone surrogate is counted as U+FFFD, which is what CBOS writes in its
 * place.
 */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}
