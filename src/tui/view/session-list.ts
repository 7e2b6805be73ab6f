import {
  isCurrent,
  isNearlyFull,
  isSnoozed,
  isUnread,
  placeOf,
  type SeenSession,
  type Session,
} from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { changedLines } from '../../text/changes-words.ts';
import { displayWidth, truncate } from '../../text/display-width.ts';
import { formatDuration, formatSince } from '../../text/durations.ts';
import { contextGauge, contextPercent, contextStyle } from '../../text/figure-words.ts';
import { pullRequestText } from '../../text/pull-request-words.ts';
import { pathText, sessionGist, sessionIcon, sessionStyle, stateText } from '../../text/session-words.ts';
import { wakeText } from '../../text/snooze-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';
import type { ListGroup } from '../groups.ts';
import { firstAround } from '../list.ts';
import { column, fitTo } from './cells.ts';

export interface ListOptions {
  groups: readonly ListGroup[];
  selected: string | null;
  marked: ReadonlySet<string>;
  cols: number;
  rows: number;
  /** whether each session takes two rows, the second of which shows what the session asks or does */
  isTall: boolean;
  /** whether each group has a heading that says what its sessions have in common */
  hasHeadings: boolean;
  now: number;
  home: string | undefined;
  dress: Style;
}

export interface ListRows {
  rows: string[];
  /** for each row, the session that it shows */
  slugs: (string | null)[];
}

/** A session or a heading, and the row at which it begins within the whole list. */
interface Item {
  of: SeenSession | ListGroup;
  top: number;
  height: number;
}

/**
 * Renders the list, scrolled so that the selected session is visible. Only visible rows are rendered, so a hundred
 * sessions take no longer than ten.
 */
export function listRows(options: ListOptions): ListRows {
  const { selected, rows, dress } = options;
  const items = itemsOf(options);
  const last = items.at(-1);
  const count = last === undefined ? 0 : last.top + last.height;
  const at = Math.max(
    0,
    items.findIndex(({ of }) => 'slug' in of && of.slug === selected),
  );
  const first = firstAround({ count: items.length, at, rows, heightOf: (index) => items[index]?.height ?? 0 });
  const start = items[first]?.top ?? 0;
  const shown: string[] = [];
  const slugs: (string | null)[] = [];
  for (const { of, top, height } of items.slice(first)) {
    // Do not show part of a session, unless there is no room for a whole one.
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

/** Returns the sessions from the top, with the heading above each group. */
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

/** Returns the scroll bar, which consists of a mark for each row, or an empty list if all sessions are visible. */
function scrollBar({ rows, start, count }: { rows: number; start: number; count: number }): string[] {
  if (count <= rows) return [];
  const size = Math.max(1, Math.round((rows * rows) / count));
  const top = Math.min(rows - size, Math.round(((rows - size) * start) / (count - rows)));
  return Array.from({ length: rows }, (_, row) => (row >= top && row < top + size ? '┃' : '│'));
}

/** Adds the mark in the last column, which rows leave empty. */
function withMark(row: string, mark: string, { cols, dress }: ListOptions): string {
  return mark === '' ? row : `${row}${column(cols - 1)}${dress('dim', mark)}`;
}

function gistOf(session: Session, home: string | undefined): string {
  if (!session.adopted) return `only observed; /adopt takes it over`;
  const says =
    blockedText(session) ||
    sessionGist(session) ||
    worktreeBranch(session.worktree) ||
    pathText(placeOf(session), home);
  return [pullRequestText(session), says].filter((part) => part !== '').join(' · ');
}

/** Returns the session's state as a single word, for places with less room. */
function shortState(session: Session): string {
  const { primary, detail } = session.status;
  if (isSnoozed(session)) return 'snoozed';
  if (primary === 'stuck') return 'stuck';
  return cleanLine(primary === 'waiting' ? (detail ?? stateText(session)) : stateText(session));
}

/** Below the heading for snoozed sessions, a session only shows when its snooze ends. */
function listState(session: Session): string {
  return session.snoozed == null ? stateText(session) : wakeText(session.snoozed);
}

/** The number of cells for the name and the state. In a narrow terminal, the state is a single word. */
const WIDE_CELLS = { slug: 14, state: 15 };
const NARROW_CELLS = { slug: 10, state: 11 };
const NARROW_COLS = 70;
const SINCE_CELLS = 7;
/**
 * The number of cells for the gauge, the percentage, and a space. If there is less room, only the percentage is shown,
 * and only as a warning.
 */
const CONTEXT_CELLS = 12;
const GAUGE_COLS = 100;
/** The number of cells for the changed lines, and how wide a row must be to show them. */
const CHANGES_CELLS = 13;
const CHANGES_COLS = 120;
/** The minimum number of cells for the name in a two-line row that shows the changed lines. */
const LEAST_SLUG_CELLS = 16;

function flatRow(session: SeenSession, options: ListOptions): string {
  const { selected, cols, now, home } = options;
  // An outdated session has no colour. Instead of how long it has been in its state, it shows the age of the
  // information.
  const isOld = !isCurrent(session);
  const dress = isOld ? greyed(options.dress) : options.dress;
  const style = sessionStyle(session);
  const isSelected = session.slug === selected;
  const since = sinceText(session, now).padStart(SINCE_CELLS);
  const isNarrow = cols < NARROW_COLS;
  const cells = isNarrow ? NARROW_CELLS : WIDE_CELLS;
  const context = contextCells(session, options);
  const changes = changesCells(session, options);
  const fixed = 4 + cells.slug + 1 + cells.state + 1 + SINCE_CELLS + 2 + displayWidth(context) + displayWidth(changes);
  const gist = fitTo(gistOf(session, home), Math.max(0, cols - fixed));
  const slug = fitTo(cleanLine(session.slug), cells.slug);
  const said = isNarrow ? shortState(session) : listState(session);
  const state = fitTo(isOld ? `was ${said}` : said, cells.state);
  return [
    isSelected ? dress('cyan', '▌') : ' ',
    dress(style, sessionIcon(session)),
    markOf(session, options),
    dress(isSelected ? 'inverse' : 'bold', slug),
    dress(style, ` ${state}`),
    dress('dim', ` ${since}  `),
    dress(contextStyle(session.context), context),
    dress('dim', changes),
    isSelected ? gist : dress('dim', gist),
  ].join('');
}

/**
 * Returns the cells that show how full the context window is. If this is known for any session, all rows leave room for
 * it.
 */
function contextCells({ context }: Session, { cols, groups }: ListOptions): string {
  if (cols < GAUGE_COLS) return isNearlyFull(context) ? `${contextPercent(context)} ` : '';
  if (groups.every(({ sessions }) => sessions.every((one) => one.context === null))) return '';
  return fitTo(`${contextGauge(context)} ${contextPercent(context)}`, CONTEXT_CELLS);
}

/**
 * Returns the cells that show how much the session has changed. If any session has changes, all rows leave room for
 * them.
 */
function changesCells(session: Session, { cols, groups }: ListOptions): string {
  if (cols < CHANGES_COLS) return '';
  if (groups.every(({ sessions }) => sessions.every((one) => changedLines(one) === ''))) return '';
  return `${fitTo(changedLines(session), CHANGES_CELLS - 1)} `;
}

/**
 * Returns the mark of a session that the user has marked for a joint action, or otherwise the mark of an unread
 * session.
 */
function markOf(session: Session, { marked, dress }: ListOptions): string {
  if (marked.has(session.slug)) return dress('cyan', '✓');
  return isUnread(session) ? dress('cyan', '•') : ' ';
}

/** Returns how long a session has been in its state, or the age of the information if the session is outdated. */
function sinceText({ elsewhere, status }: SeenSession, now: number): string {
  const asOf = elsewhere?.asOf ?? null;
  return asOf === null ? formatSince(status.since, now) : formatDuration(Math.max(0, now - asOf));
}

const greyed =
  (dress: Style): Style =>
  (name, text) =>
    dress(name === 'inverse' ? name : 'dim', text);

function tallRows(session: SeenSession, options: ListOptions): string[] {
  const { selected, cols, now, home } = options;
  const isOld = !isCurrent(session);
  const dress = isOld ? greyed(options.dress) : options.dress;
  const style = sessionStyle(session);
  const isSelected = session.slug === selected;
  const bar = isSelected ? dress('cyan', '▌') : ' ';
  const state = isOld ? `was ${shortState(session)}` : shortState(session);
  const since = sinceText(session, now);
  const context = session.context === null ? '' : `${contextPercent(session.context)} `;
  const usual = `${context}${state} ${since} `;
  const lines = changedLines(session);
  const hasRoom = lines !== '' && cols - displayWidth(`${lines} ${usual}`) - 4 >= LEAST_SLUG_CELLS;
  const changes = hasRoom ? `${lines} ` : '';
  const facts = `${changes}${usual}`;
  const slugCells = Math.max(6, cols - displayWidth(facts) - 4);
  const slug = truncate(cleanLine(session.slug), slugCells - 1);
  const gap = ' '.repeat(Math.max(1, cols - 4 - displayWidth(slug) - displayWidth(facts)));
  const gist = fitTo(gistOf(session, home), Math.max(0, cols - 4));
  return [
    `${bar}${dress(style, sessionIcon(session))}${markOf(session, options)}${dress(isSelected ? 'inverse' : 'bold', slug)}${gap}${dress('dim', changes)}${dress(contextStyle(session.context), context)}${dress(style, state)} ${dress('dim', `${since} `)}`,
    `${bar}  ${isSelected ? gist : dress('dim', gist)}`,
  ];
}
