/** The contents of the terminal. There are exactly as many rows as the terminal has. */
export interface Picture {
  rows: readonly string[];
  /** the cursor's position, counted from 0, or null if the cursor is hidden */
  cursor: { row: number; col: number } | null;
}

export interface Surface {
  /** Replaces the previous picture in the terminal with this one. Only the rows that differ are written. */
  paint(picture: Picture): void;
  /**
   * Call this when the terminal shows something else, because it was resized or another program has run. The next
   * picture is then written in full.
   */
  forget(): void;
}

/** Makes terminals that support DEC mode 2026 show a picture all at once. Other terminals ignore these sequences. */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];

/**
 * Paints whole rows, and compares them as strings. A remote terminal thus receives as little as possible, at a fraction
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
