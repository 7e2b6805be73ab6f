/**
 * Matches escape sequences: CSI, OSC and similar sequences (up to BEL or ST, or to the end of the text if neither
 * follows), and two-character sequences. This is a string rather than a `RegExp`, because the streaming parser needs to
 * anchor the pattern.
 */
const ESCAPES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;

/** Matches C0 except for tab and line feed, DEL, C1, and lone escapes. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Matches the marks that reorder text on the screen, which can make it look different from what it says ("Trojan
 * Source").
 */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Matches any character that `cleanLine` removes or replaces. Escape sequences contain at least one. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/**
 * Makes text from a session, such as a title, a path, or a question, safe to print on one line of a terminal. It
 * removes escape sequences, control characters, and line breaks, because a hostile title could otherwise overwrite the
 * line above or answer a question in the user's name.
 */
export function cleanLine(text: string): string {
  if (!UNSAFE.test(text)) return text.trim();
  return cleanBlock(text)
    .replace(/[\t\n\u2028\u2029]+/g, ' ')
    .trim();
}

/** Makes multi-line text safe for a terminal. Line feeds are kept, and each tab becomes four spaces. */
export function cleanBlock(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(REORDERING, '')
    .replaceAll('\t', '    ');
}

/**
 * Formats JSON for a terminal. Characters that JSON does not escape but that a terminal may act on (C1, DEL, reordering
 * marks) are escaped as well. The value stays the same.
 */
export function terminalJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Removes the marks that make a string look different from what it says. */
export function withoutReordering(text: string): string {
  return text.replace(REORDERING, '');
}
