// The package is CommonJS: importing a value by name would type-check but fail at run time.
import xterm from '@xterm/headless';
import { styledRow } from '../../text/styled-rows.ts';
import { createRowCache } from './row-cache.ts';

/**
 * How many lines above the window the user can scroll back. 1,000 lines take 2 MB, but only for the selected session.
 */
const SCROLLBACK = 1_000;

export interface Viewport {
  cols: number;
  rows: number;
  /** how many lines the view is scrolled back; 0 shows the newest line */
  back: number;
  /** how many columns the view is scrolled to the right */
  right: number;
  /** the column of the terminal at which the viewport begins, counted from 0 */
  atColumn: number;
  hasColours: boolean;
}

/**
 * A session's screen, as drawn in the user's terminal. The only output that reaches the terminal is printable text, SGR
 * sequences, and moves of the cursor to a column.
 */
export interface SessionScreen {
  /**
   * @param isSnapshot whether the data redraws the whole screen. @param onParsed called when the data has been drawn on
   * the screen
   */
  write(data: string, isSnapshot: boolean, onParsed: () => void): void;
  resize(cols: number, rows: number): void;
  rows(viewport: Viewport): { rows: string[]; cursor: { row: number; col: number } | null; canGoBack: number };
  dispose(): void;
}

export function createSessionScreen(size: { cols: number; rows: number }): SessionScreen {
  const terminal = new xterm.Terminal({ ...size, scrollback: SCROLLBACK, allowProposedApi: true });
  const cache = createRowCache();
  let isDisposed = false;
  // The headless terminal does not expose this property (6.0.0).
  let isCursorVisible = true;
  for (const final of ['h', 'l'] as const) {
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (params) => {
      if (params.includes(25)) isCursorVisible = final === 'h';
      return false;
    });
  }
  return {
    write(data, isSnapshot, onParsed) {
      if (isDisposed) return;
      if (isSnapshot) {
        terminal.reset();
        isCursorVisible = true;
      }
      terminal.write(data, () => {
        if (!isDisposed) onParsed();
      });
    },
    resize(cols, rows) {
      if (cols !== terminal.cols || rows !== terminal.rows) terminal.resize(cols, rows);
    },
    rows(viewport) {
      const buffer = terminal.buffer.active;
      const cursorRow = buffer.baseY + buffer.cursorY;
      // The view ends at the last line that contains text, or at the cursor if the cursor is further down.
      let end = buffer.baseY + terminal.rows;
      while (end > cursorRow + 1 && isBlank(buffer.getLine(end - 1)?.translateToString(true))) end--;
      const canGoBack = Math.max(0, end - viewport.rows);
      const start = Math.max(0, canGoBack - viewport.back);
      const { right: from, hasColours, atColumn } = viewport;
      const to = Math.min(terminal.cols, from + viewport.cols);
      const placeAt = (col: number): string => `\u001b[${atColumn + col + 1}G`;
      const look = `${from} ${to} ${atColumn} ${hasColours}`;
      const rows = Array.from({ length: Math.min(viewport.rows, end - start) }, (_, index) => {
        const line = buffer.getLine(start + index);
        const make = (): string => styledRow(buffer, start + index, { from, to, hasColours, placeAt });
        return line === undefined ? '' : cache.row(line, look, make);
      });
      const cursor = { row: cursorRow - start, col: buffer.cursorX - viewport.right };
      const isInside = cursor.row >= 0 && cursor.row < viewport.rows && cursor.col >= 0 && cursor.col < viewport.cols;
      return { rows, cursor: isCursorVisible && isInside ? cursor : null, canGoBack };
    },
    dispose() {
      isDisposed = true;
      terminal.dispose();
    },
  };
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
