// Reads keys from the bytes of a terminal.

const NAMES = /** @type {Record<string, string>} */ ({
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x03': 'ctrl+c',
  '\x04': 'ctrl+d',
  '\x0f': 'ctrl+o',
  '\x15': 'ctrl+u',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x1b': 'escape',
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x1b[C': 'right',
  '\x1b[D': 'left',
  '\x1bOA': 'up',
  '\x1bOB': 'down',
  '\x1bOC': 'right',
  '\x1bOD': 'left',
  '\x1b[Z': 'shift+tab',
  '\x1b\r': 'newline',
});

const ESCAPE_SEQUENCE = /^\x1b(?:\[[0-9;?<>=]*[A-Za-z~]|O[A-Z]|\r)/;
/** What a terminal says about itself, and changes of focus. */
const REPORT = /^\x1b(?:\[(?:[IO]|\?[0-9;]*[A-Za-z]|>[0-9;]*[A-Za-z]|<[0-9;]*[Mm])|P[^\x1b]*\x1b\\)/;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** How long to wait for the rest of a sequence after an Esc. */
const ESCAPE_MS = 30;

/** @typedef {{ kind: 'key', name: string } | { kind: 'text', text: string } | { kind: 'paste', text: string }} Key */

export class KeyReader {
  #rest = '';
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {(key: Key) => void} onKey */
  constructor(onKey) {
    this.onKey = onKey;
  }

  /** @param {string} bytes */
  read(bytes) {
    clearTimeout(this.#timer);
    this.#rest += bytes;
    this.#take(false);
    if (this.#rest !== '' && !this.#rest.startsWith(PASTE_BEGIN)) {
      this.#timer = setTimeout(() => this.#take(true), ESCAPE_MS);
    }
  }

  /** @param {boolean} isAll whether nothing more follows */
  #take(isAll) {
    while (this.#rest !== '') {
      const rest = this.#rest;
      if (rest.startsWith(PASTE_BEGIN)) {
        const end = rest.indexOf(PASTE_END);
        if (end === -1) return;
        this.#rest = rest.slice(end + PASTE_END.length);
        this.onKey({ kind: 'paste', text: rest.slice(PASTE_BEGIN.length, end).replaceAll('\r', '\n') });
        continue;
      }
      if (rest.startsWith('\x1b')) {
        const report = REPORT.exec(rest)?.[0];
        const sequence = report ?? ESCAPE_SEQUENCE.exec(rest)?.[0];
        if (sequence === undefined && !isAll && rest.length < PASTE_BEGIN.length) return;
        const taken = sequence ?? '\x1b';
        this.#rest = rest.slice(taken.length);
        const name = NAMES[taken];
        if (report === undefined && name !== undefined) this.onKey({ kind: 'key', name });
        continue;
      }
      const control = /^[\x00-\x1f\x7f]/.exec(rest)?.[0];
      if (control !== undefined) {
        this.#rest = rest.slice(control.length);
        const name = NAMES[control];
        if (name !== undefined) this.onKey({ kind: 'key', name });
        continue;
      }
      const text = /^[^\x00-\x1f\x7f]+/.exec(rest)?.[0] ?? rest;
      this.#rest = rest.slice(text.length);
      this.onKey({ kind: 'text', text });
    }
  }
}
