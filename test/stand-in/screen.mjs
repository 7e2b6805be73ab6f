// Draws rows into the terminal, on the main screen. Only rows that changed are written. Rows that no longer fit scroll
// into the terminal's history.
import { readFileSync } from 'node:fs';

/** @type {Record<string, { from: string, rows: string[] }>} the rows, each with the recording that it was taken from */
const ROWS = JSON.parse(readFileSync(new URL('./rows.json', import.meta.url), 'utf8'));

/**
 * Returns recorded rows with these values in them.
 * @param {string} name @param {Record<string, string | number>} values
 */
export function recordedRows(name, values = {}) {
  const { rows = [] } = ROWS[name] ?? {};
  return rows.map((row) => row.replace(/\{([a-zA-Z]+)\}/g, (_, key) => String(values[key])));
}

/** Returns one recorded row. @param {string} name @param {Record<string, string | number>} values */
export const recordedRow = (name, values = {}) => recordedRows(name, values)[0] ?? '';

const isWide = (/** @type {string} */ character) =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u.test(
    character,
  );

/** Returns how many cells a text takes. @param {string} text */
export function widthOf(text) {
  let width = 0;
  for (const character of text) width += isWide(character) ? 2 : 1;
  return width;
}

/**
 * Breaks a text into lines of at most this width, between words if possible.
 * @param {string} text @param {number} width
 */
export function wrap(text, width) {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(width, 1)));
}

/** @param {string} line @param {number} width */
function wrapLine(line, width) {
  const rows = [];
  let row = '';
  for (const word of line.split(/(?<= )/)) {
    if (widthOf(row + word.trimEnd()) <= width) {
      row += word;
      continue;
    }
    if (row !== '') rows.push(row.trimEnd());
    row = '';
    for (const character of word) {
      if (widthOf(row + character) > width) {
        rows.push(row);
        row = '';
      }
      row += character;
    }
  }
  return [...rows, row];
}

/** Marks a row, or the rest of it, as dim. @param {string} text */
export const dim = (text) => `\x01${text}`;

export class Screen {
  /** @type {string[]} the rows that are in the window */
  #drawn = [];
  /** how many rows have scrolled away */
  #gone = 0;
  /** the row of the cursor in #drawn */
  #at = 0;
  #place = { row: 0, col: 0 };

  /** @param {NodeJS.WriteStream} out */
  constructor(out) {
    this.out = out;
  }

  get cols() {
    return this.out.columns ?? 80;
  }

  get height() {
    return this.out.rows ?? 24;
  }

  /** @param {string[]} all every row since the start @param {{ row: number, col: number }} cursor in `all` */
  draw(all, cursor) {
    if (this.#gone > Math.max(0, all.length - 1)) this.#gone = Math.max(0, all.length + 1 - this.height);
    // One row below is for the cursor, before it is raised.
    const more = all.length + 1 - this.#gone - this.height;
    const rows = all.slice(this.#gone);
    let text = '';
    const move = (/** @type {number} */ row) => {
      if (row < this.#at) text += `\x1b[${this.#at - row}A`;
      else if (row > this.#at) text += '\r\n'.repeat(row - this.#at);
      text += '\r';
      this.#at = row;
    };
    for (const [index, row] of rows.entries()) {
      if (this.#drawn[index] === row && more <= 0) continue;
      move(index);
      text += `${paint(row)}\x1b[K`;
    }
    if (this.#drawn.length > rows.length) {
      move(rows.length);
      text += '\x1b[J';
    }
    if (more > 0) this.#gone += more;
    this.#drawn = more > 0 ? rows.slice(more) : rows;
    if (more > 0) this.#at -= more;
    const place = { row: Math.max(0, cursor.row - this.#gone), col: cursor.col };
    if (text === '' && this.#place.row === place.row && this.#place.col === place.col) return;
    this.#place = place;
    // Claude Code leaves the cursor at the bottom, then raises it: by that, CBOS tells that everything is drawn.
    move(this.#drawn.length);
    text += `${place.col > 0 ? `\x1b[${place.col}C` : ''}\x1b[${this.#at - place.row}A`;
    this.#at = place.row;
    this.out.write(text);
  }

  /** The size changed: everything is drawn again. @param {number} count how many rows there are */
  forget(count) {
    this.#drawn = [];
    this.#at = 0;
    this.#gone = Math.max(0, count + 1 - this.height);
    this.out.write('\x1b[2J\x1b[H');
  }

  /** Leaves the cursor below everything. */
  leave() {
    this.out.write('\r\n'.repeat(Math.max(this.#drawn.length - this.#at, 1)));
  }
}

/** @param {string} row */
const paint = (row) => {
  const [plain = '', ...rest] = row.split('\x01');
  return rest.length === 0 ? plain : `${plain}\x1b[2m${rest.join('')}\x1b[22m`;
};
