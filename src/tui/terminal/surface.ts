/** The contents of the terminal, with exactly as many rows as the terminal has. */
export interface Picture {
  rows: readonly string[];
  /** counted from 0, or null if hidden */
  cursor: { row: number; col: number } | null;
}

export interface Surface {
  /** Changes the terminal from the previous picture to this one. Only rows that differ are written. */
  paint(picture: Picture): void;
  /**
   * Call this when the terminal shows something else (because it was resized, or another program ran). The next picture
   * is then written in full.
   */
  forget(): void;
}

/**
 * Makes the terminal show a picture all at once, if the terminal supports that (DEC mode 2026). Other terminals ignore
 * it.
 */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];

/**
 * Paints whole rows and compares them as strings. A remote terminal then receives as little as possible, at a fraction
 * of the cost of a component tree.
 */
export function createSurface(write: (text: string) => void): Surface {
  let shown: readonly string[] = [];
  let cursor = '';
  return {
    paint({ rows, cursor: at }) {
      let changes = '';
      for (const [index, row] of rows.entries()) {
        if (shown[index] !== row) changes += `\u001b[${index + 1};1H\u001b[0m\u001b[2K${row}`;
      }
      const nextCursor = at === null ? '\u001b[?25l' : `\u001b[${at.row + 1};${at.col + 1}H\u001b[?25h`;
      if (changes === '' && nextCursor === cursor) return;
      shown = [...rows];
      cursor = nextCursor;
      write(`${BEGIN}\u001b[?25l${changes}\u001b[0m${nextCursor}${END}`);
    },
    forget() {
      shown = [];
      cursor = '';
    },
  };
}
