// Long pastes: the prompt's box shows a placeholder for them, and the model reads them in tags.
import { randomBytes } from 'node:crypto';

/** Version 2.1.330 shows a placeholder for a paste of more characters or lines. */
const LONGEST = 800;
const MOST_LINES = 3;
/** How long the footer offers to show a paste. */
const OFFERED_MS = 3_000;
const TAGS = /\n*<pasted_content id="[0-9a-f]+">\n([\s\S]*?)\n<\/pasted_content id="[0-9a-f]+">\n/g;

/** Returns a prompt as the screen shows it, without the tags around what was pasted. @param {string} text */
export const withoutTags = (text) => text.replaceAll(TAGS, '$1');

export class Pastes {
  /** @type {{ placeholder: string, text: string }[]} */
  #kept = [];
  #lastAt = 0;

  /** Returns what a paste adds to the box. @param {string} pasted */
  add(pasted) {
    const text = pasted.replaceAll('\t', '    ');
    const lines = text.split('\n').length;
    if (text.length <= LONGEST && lines <= MOST_LINES) return text;
    const placeholder = `[Pasted text #${this.#kept.length + 1}${lines > 1 ? ` +${lines - 1} lines` : ''}]`;
    this.#kept.push({ placeholder, text });
    this.#lastAt = Date.now();
    return placeholder;
  }

  /** Reports whether the footer still offers to show the last paste. */
  isOffered() {
    return Date.now() - this.#lastAt < OFFERED_MS;
  }

  /** Returns the prompt with what was pasted, and forgets the pastes. @param {string} box */
  take(box) {
    let prompt = box;
    for (const { placeholder, text } of this.#kept) {
      const id = randomBytes(2).toString('hex');
      prompt = prompt.replace(
        placeholder,
        () => `\n\n<pasted_content id="${id}">\n${text}\n</pasted_content id="${id}">\n`,
      );
    }
    this.#kept = [];
    this.#lastAt = 0;
    return prompt;
  }
}
