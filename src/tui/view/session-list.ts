import type { Session } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { displayWidth, truncate } from '../../text/display-width.ts';
import { formatSince } from '../../text/durations.ts';
import { pathText, sessionGist, sessionIcon, sessionStyle, stateText } from '../../text/session-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { column, fitTo } from './cells.ts';

export interface ListOptions {
  sessions: readonly Session[];
  selected: string | null;
  marked: ReadonlySet<string>;
  cols: number;
  rows: number;
  /** two rows a session: the second says what it asks or does */
  isTall: boolean;
  now: number;
  home: string | undefined;
  dress: Style;
}

export interface ListRows {
  rows: string[];
  /** of each row, the session that stands in it */
  slugs: (string | null)[];
}

/**
 * The list, scrolled so that the selected session is in it. Only the rows that are seen are made: a hundred sessions
 * cost no more than ten.
 */
export function listRows(options: ListOptions): ListRows {
  const { sessions, selected, rows, isTall } = options;
  const height = isTall ? 2 : 1;
  const fitting = Math.max(1, Math.floor(rows / height));
  const at = Math.max(
    0,
    sessions.findIndex((session) => session.slug === selected),
  );
  // The selected one in the middle where there is more than fits: what comes next is always seen.
  const start = Math.max(0, Math.min(at - Math.floor(fitting / 2), sessions.length - fitting));
  const seen = sessions.slice(start, start + fitting);
  const shown = seen.flatMap((session) => (isTall ? tallRows(session, options) : [flatRow(session, options)]));
  const bar = scrollBar({ rows, start, fitting, count: sessions.length });
  return {
    rows: Array.from({ length: rows }, (_, row) => withMark(shown[row] ?? '', bar[row] ?? '', options)),
    slugs: Array.from({ length: rows }, (_, row) => seen[Math.floor(row / height)]?.slug ?? null),
  };
}

/** Which part of the list is seen: a mark for each row, none where all of it is. */
function scrollBar(of: { rows: number; start: number; fitting: number; count: number }): string[] {
  const { rows, start, fitting, count } = of;
  if (count <= fitting) return [];
  const size = Math.max(1, Math.round((rows * fitting) / count));
  const top = Math.round(((rows - size) * start) / (count - fitting));
  return Array.from({ length: rows }, (_, row) => (row >= top && row < top + size ? '┃' : '│'));
}

/** In the last column, which rows leave free. */
function withMark(row: string, mark: string, { cols, dress }: ListOptions): string {
  return mark === '' ? row : `${row}${column(cols - 1)}${dress('dim', mark)}`;
}

function gistOf(session: Session, home: string | undefined): string {
  if (!session.adopted) return `only observed; /adopt takes it over`;
  return blockedText(session) || sessionGist(session) || pathText(session.path, home);
}

/** The state in a word, where there is room for no more. */
function shortState(session: Session): string {
  const { primary, detail } = session.status;
  if (primary === 'stuck') return 'stuck';
  return cleanLine(primary === 'waiting' ? (detail ?? stateText(session)) : stateText(session));
}

/** Cells of name and state; a narrow terminal has the state in a word. */
const WIDE_CELLS = { slug: 14, state: 15 };
const NARROW_CELLS = { slug: 10, state: 11 };
const NARROW_COLS = 70;
const SINCE_CELLS = 7;

function flatRow(session: Session, options: ListOptions): string {
  const { selected, cols, now, home, dress } = options;
  const style = sessionStyle(session);
  const isSelected = session.slug === selected;
  const since = formatSince(session.status.since, now).padStart(SINCE_CELLS);
  const isNarrow = cols < NARROW_COLS;
  const cells = isNarrow ? NARROW_CELLS : WIDE_CELLS;
  const fixed = 4 + cells.slug + 1 + cells.state + SINCE_CELLS + 2;
  const gist = fitTo(gistOf(session, home), Math.max(0, cols - fixed));
  const slug = fitTo(cleanLine(session.slug), cells.slug);
  const state = fitTo(isNarrow ? shortState(session) : stateText(session), cells.state);
  return [
    isSelected ? dress('cyan', '▌') : ' ',
    dress(style, sessionIcon(session)),
    markOf(session, options),
    dress(isSelected ? 'inverse' : 'bold', slug),
    dress(style, ` ${state}`),
    dress('dim', `${since}  `),
    isSelected ? gist : dress('dim', gist),
  ].join('');
}

/** That something is to be done with it together with others. */
function markOf({ slug }: Session, { marked, dress }: ListOptions): string {
  return marked.has(slug) ? dress('cyan', '✓') : ' ';
}

function tallRows(session: Session, options: ListOptions): string[] {
  const { selected, cols, now, home, dress } = options;
  const style = sessionStyle(session);
  const isSelected = session.slug === selected;
  const bar = isSelected ? dress('cyan', '▌') : ' ';
  const state = shortState(session);
  const since = formatSince(session.status.since, now);
  const facts = `${state} ${since} `;
  const slugCells = Math.max(6, cols - displayWidth(facts) - 4);
  const slug = truncate(cleanLine(session.slug), slugCells - 1);
  const gap = ' '.repeat(Math.max(1, cols - 4 - displayWidth(slug) - displayWidth(facts)));
  const gist = fitTo(gistOf(session, home), Math.max(0, cols - 4));
  return [
    `${bar}${dress(style, sessionIcon(session))}${markOf(session, options)}${dress(isSelected ? 'inverse' : 'bold', slug)}${gap}${dress(style, state)} ${dress('dim', `${since} `)}`,
    `${bar}  ${isSelected ? gist : dress('dim', gist)}`,
  ];
}
