/** What stands on the terminal: exactly as many rows as it has. */
export interface Picture {
  rows: readonly string[];
  /** from 0; null: hidden */
  cursor: { row: number; col: number } | null;
}

export interface Surface {
  /** Brings the terminal from the last picture to this one: only rows that differ are written. */
  paint(picture: Picture): void;
  /** The terminal shows something else now (it was resized, another program ran): the next picture is written whole. */
  forget(): void;
}

/** The terminal shows all of a picture at once, where it knows how (DEC mode 2026); others ignore it. */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];

/**
 * Paints whole rows by comparing them as texts: the least that a terminal far away must be sent, for a fraction of what
 * a tree of components costs.
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
