/**
 * How many digits of a number are kept. `ESC[2147483647S` would keep a player busy for hours. Screen sizes in CBOS have
 * at most three digits.
 */
const MOST_DIGITS = 4;

const ESC = 0x1b;
const CSI_C1 = 0x9b;
/** CAN and SUB abort a control sequence, which then has no final character. */
const CANCELS: ReadonlySet<number> = new Set([0x18, 0x1a]);

/**
 * Shortens every number in a control sequence to its first four digits. Everything else remains unchanged. A sequence
 * may be split between two calls at any point.
 */
export class ShortNumbers {
  #place: 'text' | 'escape' | 'control' = 'text';
  #digits = 0;

  read(text: string): string {
    let read = '';
    let done = 0;
    for (let index = 0; index < text.length; index++) {
      if (!this.#isTooMuch(text.charCodeAt(index))) continue;
      read += text.slice(done, index);
      done = index + 1;
    }
    return done === 0 ? text : read + text.slice(done);
  }

  #isTooMuch(code: number): boolean {
    if (code === ESC || code === CSI_C1) {
      this.#place = code === ESC ? 'escape' : 'control';
      this.#digits = 0;
      return false;
    }
    if (this.#place === 'text') return false;
    if (this.#place === 'escape') {
      this.#place = code === 0x5b ? 'control' : 'text';
      return false;
    }
    if (code >= 0x30 && code <= 0x39) return ++this.#digits > MOST_DIGITS;
    this.#digits = 0;
    // A terminal executes a control character, such as a line feed, even in the middle of a sequence. Only a final
    // character, such as a letter, ends the sequence.
    if ((code >= 0x40 && code !== 0x7f) || CANCELS.has(code)) this.#place = 'text';
    return false;
  }
}
