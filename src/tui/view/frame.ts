/** The positions of the picture's parts, in cells. */
export interface Frame {
  /** `hasHeadings` means that each group of sessions has a heading that says what the sessions want */
  list: { cols: number; rows: number; hasHeadings: boolean };
  /** the area for the session, with the session's title in the first row */
  pane: { cols: number; rows: number; atColumn: number };
  isSideBySide: boolean;
}

/** The minimum width for showing the list next to a session of 80 columns. */
const SIDE_BY_SIDE_COLS = 118;
const LIST_SHARE = 0.28;
const [LEAST_LIST_COLS, MOST_LIST_COLS] = [36, 56];
/** If the list is above the session, it takes at most a third of the rows. */
const LIST_ROWS_SHARE = 1 / 3;
const LEAST_LIST_ROWS = 3;
/** The minimum number of rows for headings. With fewer rows, headings would leave too little room for the sessions. */
const LEAST_ROWS_FOR_HEADINGS = 8;

/**
 * @param body the number of rows between the header and the input
 * @param content.headings the number of headings in the list, or 0 if sessions are listed without headings
 */
export function frameFor(
  size: { cols: number; body: number },
  content: { sessions: number; headings: number; isZoomed: boolean; isPage: boolean },
): Frame {
  const { cols, body } = size;
  // If the list would take rows away from a page, give the page all rows.
  if (content.isZoomed || (content.isPage && cols < SIDE_BY_SIDE_COLS)) {
    return {
      list: { cols: 0, rows: 0, hasHeadings: false },
      pane: { cols, rows: body, atColumn: 0 },
      isSideBySide: false,
    };
  }
  if (cols >= SIDE_BY_SIDE_COLS) {
    const list = Math.min(MOST_LIST_COLS, Math.max(LEAST_LIST_COLS, Math.round(cols * LIST_SHARE)));
    return {
      list: { cols: list, rows: body, hasHeadings: content.headings > 0 && body >= LEAST_ROWS_FOR_HEADINGS },
      pane: { cols: cols - list - 1, rows: body, atColumn: list + 1 },
      isSideBySide: true,
    };
  }
  const most = Math.max(LEAST_LIST_ROWS, Math.floor(body * LIST_ROWS_SHARE));
  const hasHeadings = content.headings > 0 && most >= LEAST_ROWS_FOR_HEADINGS;
  const wanted = content.sessions + (hasHeadings ? content.headings : 0);
  const rows = Math.min(most, Math.max(LEAST_LIST_ROWS, wanted), Math.max(0, body - 2));
  return { list: { cols, rows, hasHeadings }, pane: { cols, rows: body - rows, atColumn: 0 }, isSideBySide: false };
}
