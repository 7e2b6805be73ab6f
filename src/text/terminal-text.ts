/**
 * Matches escape sequences: CSI, OSC and its relatives (up to BEL or ST, or to the end if neither comes), and
 * two-character ones. This is a pattern's source and not a pattern, because the streaming reader needs an anchored
 * pattern.
 */
const ESCAPES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;

/** C0 without tab and line feed, DEL, C1, and lone escapes. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Marks that reorder text on the screen, so that it looks different from what it is ("Trojan Source"). */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes text from a session (a title, a path, a question) safe for one line of the terminal by removing escape
 * sequences, control characters, and line breaks. Otherwise a hostile title could rewrite the line above or answer in
 * the user's name.
 */
export function cleanLine(text: string): string {
  return cleanBlock(text)
    .replace(/[\t\n\u2028\u2029]+/g, ' ')
    .trim();
}

/** Makes multi-line text safe for the terminal. Line feeds are kept, and tabs become four spaces. */
export function cleanBlock(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(REORDERING, '')
    .replaceAll('\t', '    ');
}

/**
 * Formats JSON for the terminal. Characters that JSON does not escape but a terminal may obey (C1, DEL, reordering
 * marks) are escaped. The value stays the same.
 */
export function terminalJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns a string without the marks that make it look different from what it is. */
export function withoutReordering(text: string): string {
  return text.replace(REORDERING, '');
}
