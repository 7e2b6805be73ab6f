import { isNearlyFull, isSnoozed, isUnread, type Session } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { displayWidth, truncate } from '../../text/display-width.ts';
import { formatSince } from '../../text/durations.ts';
import { contextGauge, contextPercent, contextStyle } from '../../text/figure-words.ts';
import { pathText, sessionGist, sessionIcon, sessionStyle, stateText } from '../../text/session-words.ts';
import { wakeText } from '../../text/snooze-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';
import type { ListGroup } from '../groups.ts';
import { column, fitTo } from './cells.ts';

export interface ListOptions {
  groups: readonly ListGroup[];
  selected: string | null;
  marked: ReadonlySet<string>;
  cols: number;
  rows: number;
  /** whether each session takes two rows, of which the second shows what it asks or does */
  isTall: boolean;
  /** whether a row above each group says what its sessions have in common */
  hasHeadings: boolean;
  now: number;
  home: string | undefined;
  dress: Style;
}

export interface ListRows {
  rows: string[];
  /** for each row, the session in it */
  slugs: (string | null)[];
}

/** A session or a heading, and the row of the whole list in which it begins. */
interface Item {
  of: Session | ListGroup;
  top: number;
  height: number;
}

/**
 * Renders the list, scrolled so that the selected session is visible. Only visible rows are rendered, so a hundred
 * sessions cost no more than ten.
 */
export function listRows(options: ListOptions): ListRows {
  const { selected, rows, dress } = options;
  const items = itemsOf(options);
  const last = items.at(-1);
  const count = last === undefined ? 0 : last.top + last.height;
  const at = items.find(({ of }) => 'slug' in of && of.slug === selected)?.top ?? 0;
  // If the list does not fit, the selected session is in the middle, so that the next one is always visible.
  const from = Math.max(0, Math.min(at - Math.floor(rows / 2), count - rows));
  const first = items.findIndex(({ top }) => top >= from);
  const start = items[first]?.top ?? 0;
  const shown: string[] = [];
  const slugs: (string | null)[] = [];
  for (const { of, top, height } of items.slice(first)) {
    // Half of a session is shown only if there is no room for a whole one.
    if (top + height > start + rows && top > start) break;
    if ('slug' in of) shown.push(...(options.isTall ? tallRows(of, options) : [flatRow(of, options)]));
    else shown.push(` ${dress(of.style, truncate(of.title, Math.max(0, options.cols - 2)))}`);
    while (slugs.length < shown.length) slugs.push('slug' in of ? of.slug : null);
  }
  const bar = scrollBar({ rows, start, count });
  return {
    rows: Array.from({ length: rows }, (_, row) => withMark(shown[row] ?? '', bar[row] ?? '', options)),
    slugs: Array.from({ length: rows }, (_, row) => slugs[row] ?? null),
  };
}

/** Returns the sessions from the top, each group below its heading. */
function itemsOf({ groups, isTall, hasHeadings }: ListOptions): Item[] {
  const items: Item[] = [];
  let top = 0;
  const add = (of: Item['of'], height: number): void => {
    items.push({ of, top, height });
    top += height;
  };
  for (const group of groups) {
    if (hasHeadings) add(group, 1);
    for (const session of group.sessions) add(session, isTall ? 2 : 1);
  }
  return items;
}

/** Shows which part of the list is visible, with a mark for each row; empty if all of it is. */
function scrollBar({ rows, start, count }: { rows: number; start: number; count: number }): string[] {
  if (count <= rows) return [];
  const size = Math.max(1, Math.round((rows * rows) / count));
  const top = Math.min(rows - size, Math.round(((rows - size) * start) / (count - rows)));
  return Array.from({ length: rows }, (_, row) => (row >= top && row < top + size ? '┃' : '│'));
}

/** Writes the mark into the last column, which rows leave free. */
function withMark(row: string, mark: string, { cols, dress }: ListOptions): string {
  return mark === '' ? row : `${row}${column(cols - 1)}${dress('dim', mark)}`;
}

function gistOf(session: Session, home: string | undefined): string {
  if (!session.adopted) return `only observed; /adopt takes it over`;
  return (
    blockedText(session) || sessionGist(session) || worktreeBranch(session.worktree) || pathText(session.path, home)
  );
}

/** Returns the state in one word, for places without more room. */
function shortState(session: Session): string {
  const { primary, detail } = session.status;
  if (isSnoozed(session)) return 'snoozed';
  if (primary === 'stuck') return 'stuck';
  return cleanLine(primary === 'waiting' ? (detail ?? stateText(session)) : stateText(session));
}

/** Below its heading a snoozed session says only until when. */
function listState(session: Session): string {
  return session.snoozed == null ? stateText(session) : wakeText(session.snoozed);
}

/** The cells for name and state. In a narrow terminal the state is one word. */
const WIDE_CELLS = { slug: 14, state: 15 };
const NARROW_CELLS = { slug: 10, state: 11 };
const NARROW_COLS = 70;
const SINCE_CELLS = 7;
/** Cells of the gauge, the share and a blank; where there is less room, the share alone, and only if it warns. */
const CONTEXT_CELLS = 12;
const GAUGE_COLS = 100;

function flatRow(session: Session, options: ListOptions): string {
  const { selected, cols, now, home, dress } = options;
  const style = sessionStyle(session);
  const isSelected = session.slug === selected;
  const since = formatSince(session.status.since, now).padStart(SINCE_CELLS);
  const isNarrow = cols < NARROW_COLS;
  const cells = isNarrow ? NARROW_CELLS : WIDE_CELLS;
  const context = contextCells(session, options);
  const fixed = 4 + cells.slug + 1 + cells.state + 1 + SINCE_CELLS + 2 + displayWidth(context);
  const gist = fitTo(gistOf(session, home), Math.max(0, cols - fixed));
  const slug = fitTo(cleanLine(session.slug), cells.slug);
  const state = fitTo(isNarrow ? shortState(session) : listState(session), cells.state);
  return [
    isSelected ? dress('cyan', '▌') : ' ',
    dress(style, sessionIcon(session)),
    markOf(session, options),
    dress(isSelected ? 'inverse' : 'bold', slug),
    dress(style, ` ${state}`),
    dress('dim', ` ${since}  `),
    dress(contextStyle(session.context), context),
    isSelected ? gist : dress('dim', gist),
  ].join('');
}

/** Returns how full the context window is. All rows leave room for it as soon as it is known of one session. */
function contextCells({ context }: Session, { cols, groups }: ListOptions): string {
  if (cols < GAUGE_COLS) return isNearlyFull(context) ? `${contextPercent(context)} ` : '';
  if (groups.every(({ sessions }) => sessions.every((one) => one.context === null))) return '';
  return fitTo(`${contextGauge(context)} ${contextPercent(context)}`, CONTEXT_CELLS);
}

/** That something is to be done with it together with others; else that it is unread. */
function markOf(session: Session, { marked, dress }: ListOptions): string {
  if (marked.has(session.slug)) return dress('cyan', '✓');
  return isUnread(session) ? dress('cyan', '•') : ' ';
}

function tallRows(session: Session, options: ListOptions): string[] {
  const { selected, cols, now, home, dress } = options;
  const style = sessionStyle(session);
  const isSelected = session.slug === selected;
  const bar = isSelected ? dress('cyan', '▌') : ' ';
  const state = shortState(session);
  const since = formatSince(session.status.since, now);
  const context = session.context === null ? '' : `${contextPercent(session.context)} `;
  const facts = `${context}${state} ${since} `;
  const slugCells = Math.max(6, cols - displayWidth(facts) - 4);
  const slug = truncate(cleanLine(session.slug), slugCells - 1);
  const gap = ' '.repeat(Math.max(1, cols - 4 - displayWidth(slug) - displayWidth(facts)));
  const gist = fitTo(gistOf(session, home), Math.max(0, cols - 4));
  return [
    `${bar}${dress(style, sessionIcon(session))}${markOf(session, options)}${dress(isSelected ? 'inverse' : 'bold', slug)}${gap}${dress(contextStyle(session.context), context)}${dress(style, state)} ${dress('dim', `${since} `)}`,
    `${bar}  ${isSelected ? gist : dress('dim', gist)}`,
  ];
}
