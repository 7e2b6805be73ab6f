/** Where the parts of the picture are, in cells. */
export interface Frame {
  list: { cols: number; rows: number };
  /** the session, with its title in the first row */
  pane: { cols: number; rows: number; atColumn: number };
  isSideBySide: boolean;
}

/** Wide enough for a list beside a session of 80 columns. */
const SIDE_BY_SIDE_COLS = 118;
const LIST_SHARE = 0.28;
const [LEAST_LIST_COLS, MOST_LIST_COLS] = [36, 56];
/** Above the session the list takes a third at most. */
const LIST_ROWS_SHARE = 1 / 3;
const LEAST_LIST_ROWS = 3;

/** @param body the rows between header and input */
export function frameFor(
  size: { cols: number; body: number },
  content: { sessions: number; isZoomed: boolean; isPage: boolean },
): Frame {
  const { cols, body } = size;
  // Where the list would take rows from a page to read, the page has them all.
  if (content.isZoomed || (content.isPage && cols < SIDE_BY_SIDE_COLS)) {
    return { list: { cols: 0, rows: 0 }, pane: { cols, rows: body, atColumn: 0 }, isSideBySide: false };
  }
  if (cols >= SIDE_BY_SIDE_COLS) {
    const list = Math.min(MOST_LIST_COLS, Math.max(LEAST_LIST_COLS, Math.round(cols * LIST_SHARE)));
    return {
      list: { cols: list, rows: body },
      pane: { cols: cols - list - 1, rows: body, atColumn: list + 1 },
      isSideBySide: true,
    };
  }
  const most = Math.max(LEAST_LIST_ROWS, Math.floor(body * LIST_ROWS_SHARE));
  const rows = Math.min(most, Math.max(LEAST_LIST_ROWS, content.sessions), Math.max(0, body - 2));
  return { list: { cols, rows }, pane: { cols, rows: body - rows, atColumn: 0 }, isSideBySide: false };
}
