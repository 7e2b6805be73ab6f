/** Marks that reorder a text on the screen, and characters of no width: with them a command reads as another than the one that runs ("Trojan Source"). */
const HIDDEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A command, a path or code as it is: marks that nobody would see are written out, `\\u202e`. */
export function showHiddenMarks(text: string): string {
  return text.replace(HIDDEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
