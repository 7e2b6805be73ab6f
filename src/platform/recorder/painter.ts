import type { Emulator } from '../emulator/index.ts';

/**
 * Shows an emulator's screen in a terminal of any size by writing the rows that have changed. Only the contents of
 * cells are written, so nothing that the recorded program sent to its terminal can affect this one.
 */
export function createPainter(write: (text: string) => Promise<void>) {
  let shown: readonly string[] = [];
  let shownSize = '';
  return {
    /** Forgets what the terminal shows, because something else was written to it. */
    forget(): void {
      shownSize = '';
    },
    /** @param status a line of our own over the last row of the terminal, or null if there is none */
    async paint(emulator: Emulator, size: { cols: number; rows: number }, status: string | null = null): Promise<void> {
      const { cursor, rows: recordedRows } = emulator.frame();
      const all = emulator.styledRows(size.cols);
      // If not all rows fit, the rows around the cursor are shown, because a prompt is usually at the bottom.
      const top = Math.max(0, Math.min(cursor.row - size.rows + 1, recordedRows - size.rows));
      const rows = Array.from({ length: size.rows }, (_, row) => all[top + row] ?? '');
      if (status !== null) rows[size.rows - 1] = `\u001b[7m${status.slice(0, size.cols).padEnd(size.cols)}\u001b[0m`;
      const sizeNow = `${size.cols}x${size.rows}`;
      let text = sizeNow === shownSize ? '' : '\u001b[0m\u001b[2J';
      if (sizeNow !== shownSize) shown = [];
      shownSize = sizeNow;
      // A row is cleared before it is written rather than afterwards. Once a row has filled the width of the terminal,
      // the cursor is still on its last cell.
      for (const [row, content] of rows.entries()) {
        if (content !== (shown[row] ?? '')) text += `\u001b[${row + 1};1H\u001b[K${content}`;
      }
      shown = rows;
      const col = Math.min(cursor.col, size.cols - 1);
      const cursorText = emulator.isCursorVisible() ? '\u001b[?25h' : '\u001b[?25l';
      await write(`\u001b[?25l${text}\u001b[${cursor.row - top + 1};${col + 1}H${cursorText}`);
    },
  };
}
