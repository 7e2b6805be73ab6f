import { openQuestions, type QuestionMemory } from '../../protocol/index.ts';
import { displayWidth, truncate } from '../../text/display-width.ts';
import { formatDuration } from '../../text/durations.ts';
import { attentionCount, attentionStyle } from '../../text/session-words.ts';
import type { Style, StyleName } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { listGroups } from '../groups.ts';
import { layoutEditor } from '../input/editor.ts';
import type { Hint, InputBox, Mode, Page } from '../mode.ts';
import { listed, type Model, selectedSession, shownQuestion } from '../model.ts';
import { countAttentions } from '../order.ts';
import type { Picture } from '../terminal/surface.ts';
import { column, fitTo, wrap } from './cells.ts';
import { type Frame, frameFor } from './frame.ts';
import { paneTitle } from './pane-title.ts';
import { type QuestionRows, questionRows } from './question-rows.ts';
import { type ListRows, listRows } from './session-list.ts';
import { welcome } from './welcome.ts';

/** The space that is available for the content, and the content's scroll position. */
export interface ContentViewport {
  cols: number;
  rows: number;
  atColumn: number;
  back: number;
  right: number;
}

/** The content of a session: either its screen or its conversation. */
export interface SessionContent {
  rows(viewport: ContentViewport): {
    rows: string[];
    cursor: { row: number; col: number } | null;
    /** how many rows there are above the view if the view is not scrolled back */
    canGoBack: number;
  };
}

interface Size {
  cols: number;
  rows: number;
}

export interface Drawing {
  model: Model;
  mode: Mode;
  /** the session's content, or null until some has arrived */
  content: SessionContent | null;
  /** the user's earlier answers to the selected session's question */
  memory: QuestionMemory | null;
  size: Size;
  now: number;
  home: string | undefined;
  dress: Style;
}

/** The maximum number of rows of the input. Longer text scrolls. */
const MAX_INPUT_ROWS = 8;
/** The maximum fraction of the session's space that a question can take. The rest shows the question's context. */
const QUESTION_SHARE = 0.6;
/** The number of rows for the header, the rule above the input, and the footer. */
const FIXED_ROWS = 3;

/** The smallest size that the full layout needs. A smaller terminal shows a reduced layout and a message. */
const LEAST_SIZE = { cols: 80, rows: 24 };
/** The smallest terminal in which anything useful can be shown. */
const TINY_SIZE = { cols: 40, rows: 10 };

const isBelow = (size: Size, least: Size): boolean => size.cols < least.cols || size.rows < least.rows;

const NOTHING_ASKED: QuestionRows = { rows: [], options: [], isWhole: true, hasSuggestion: false };
const NO_CONTENT: ReturnType<SessionContent['rows']> = { rows: [], cursor: null, canGoBack: 0 };
const NO_LIST: ListRows = { rows: [], slugs: [] };

/** The part of the interface that a cell belongs to. */
export type Target =
  | { kind: 'session'; slug: string }
  | { kind: 'list' }
  /** an option of the question, counted from 1 */
  | { kind: 'option'; number: number }
  | { kind: 'pane' };

export interface DrawnPicture extends Picture {
  /** whether the picture shows the whole question of the selected session */
  isQuestionWhole: boolean;
  /** whether the picture shows the suggestion to answer as before */
  hasSuggestion: boolean;
  /** returns the part that a cell belongs to; cells are counted from 0 */
  targetAt(row: number, col: number): Target | null;
}

/** Draws the whole picture, row by row. */
export function draw(drawing: Drawing): DrawnPicture {
  const { size, model, mode } = drawing;
  if (isBelow(size, TINY_SIZE)) {
    const nothing = { isQuestionWhole: false, hasSuggestion: false, targetAt: () => null };
    return { rows: filled(tooSmall(size), size.rows), cursor: null, ...nothing };
  }
  const input = inputRows(drawing);
  const { frame, body } = measure(model, size, { inputRows: input.rows.length, isPage: mode.page !== undefined });
  const { rows: left, slugs } = frame.list.rows === 0 ? NO_LIST : list(drawing, frame);
  const pane = paneRows(drawing, frame);
  const top = 1;
  const paneTop = frame.isSideBySide ? top : top + left.length;
  const bodyRows = frame.isSideBySide
    ? Array.from({ length: body }, (_, row) =>
        [left[row] ?? '', column(frame.pane.atColumn - 1), drawing.dress('dim', '│'), pane.rows[row] ?? ''].join(''),
      )
    : [...left, ...pane.rows].slice(0, body);
  const rows = [header(drawing), ...bodyRows, rule(drawing), ...input.rows, footer(drawing, mode.hints())];
  return {
    rows: rows.slice(0, size.rows),
    cursor: cursorOf({ input, pane, paneTop, inputTop: 2 + body }, frame),
    isQuestionWhole: pane.isQuestionWhole,
    hasSuggestion: pane.hasSuggestion,
    targetAt(row, col) {
      const at = row - top;
      if (at < 0 || at >= body) return null;
      const isInList = frame.isSideBySide ? col < frame.list.cols : at < left.length;
      const slug = slugs[at] ?? null;
      if (isInList) return slug === null ? { kind: 'list' } : { kind: 'session', slug };
      const number = pane.options[at + top - paneTop] ?? null;
      return number === null ? { kind: 'pane' } : { kind: 'option', number };
    },
  };
}

/** Returns the area in which a session is drawn, which determines the size of a new session. */
export function measure(
  model: Model,
  size: Size,
  { inputRows: taken, isPage }: { inputRows: number; isPage: boolean } = { inputRows: 1, isPage: false },
): { frame: Frame; body: number } {
  const body = Math.max(1, size.rows - FIXED_ROWS - taken);
  const sessions = listed(model);
  // A filtered list has no headings, because it shows what the user is looking for, not what needs to be done.
  const isDivided = model.grouping !== 'none' && (model.filter === '' || model.grouping !== 'attention');
  const headings = isDivided ? listGroups(model).length : 0;
  const content = { sessions: sessions.length, headings, isZoomed: model.isZoomed, isPage };
  const frame = frameFor({ cols: size.cols, body }, content);
  return { frame, body };
}

type Cursor = { row: number; col: number } | null;

function cursorOf(
  at: { input: { cursor: Cursor }; pane: { cursor: Cursor }; paneTop: number; inputTop: number },
  frame: Frame,
): Cursor {
  if (at.input.cursor !== null) return { row: at.inputTop + at.input.cursor.row, col: at.input.cursor.col };
  if (at.pane.cursor === null) return null;
  return { row: at.paneTop + at.pane.cursor.row, col: frame.pane.atColumn + at.pane.cursor.col };
}

function tooSmall({ cols, rows }: Size): string[] {
  const words = `${cols}×${rows} is too small: CBOS needs at least ${LEAST_SIZE.cols}×${LEAST_SIZE.rows}`;
  return ['CBOS', ...wrap(words, cols - 1)].map((row) => truncate(` ${row}`, cols)).slice(0, rows);
}

function header({ model, size, now, dress }: Drawing): string {
  const counts = countAttentions(model.view).map(({ attention, count }) => ({
    text: attentionCount(attention, count),
    style: attentionStyle(attention),
  }));
  const { isUp, since } = model.link;
  const gone = formatDuration(now - since);
  const link = isUp ? 'server up' : model.view.size === 0 ? 'connecting…' : `server gone for ${gone}, U starts it`;
  const alerts = model.alerts === 'bell' ? '' : ` · alerts: ${model.alerts}`;
  const filter = model.filter === '' ? '' : ` · filter: ${cleanLine(model.filter)}`;
  const right = `${link}${alerts}${filter} `;
  const room = size.cols - displayWidth(right) - 1;
  let left = ` ${dress('bold', 'CBOS')}`;
  let width = 5;
  for (const { text, style } of counts) {
    if (width + 2 + displayWidth(text) > room) break;
    left += `  ${dress(style, text)}`;
    width += 2 + displayWidth(text);
  }
  const tone: StyleName = isUp ? 'dim' : 'red';
  return `${left}${column(Math.max(width + 1, size.cols - displayWidth(right)))}${dress(tone, truncate(right, Math.max(0, room + displayWidth(right) - width)))}`;
}

function list({ model, now, home, dress }: Drawing, frame: Frame): ListRows {
  const sessions = listed(model);
  const empty =
    model.view.size === 0 ? ' No sessions yet; n creates one' : ' The filter hides all sessions; f changes it';
  if (sessions.length === 0) {
    return { rows: filled([dress('dim', empty)], frame.list.rows), slugs: [] };
  }
  const { cols, rows, hasHeadings } = frame.list;
  const { selected, marked } = model;
  const { isSideBySide: isTall } = frame;
  return listRows({ groups: listGroups(model), selected, marked, cols, rows, isTall, hasHeadings, now, home, dress });
}

interface PaneRows {
  rows: string[];
  cursor: Cursor;
  isQuestionWhole: boolean;
  hasSuggestion: boolean;
  /** for each row, the number of the option that it shows */
  options: readonly (number | null)[];
}

function paneRows(drawing: Drawing, frame: Frame): PaneRows {
  const { model, mode, dress } = drawing;
  const { cols, rows } = frame.pane;
  const page = mode.page?.(cols, rows - 1);
  const nothing = { hasSuggestion: false, options: [] };
  if (page !== undefined) return { ...pageRows(page, { cols, rows, dress }), isQuestionWhole: false, ...nothing };
  const session = selectedSession(model);
  if (session === null)
    return {
      rows: filled([dress('dim', '─'.repeat(cols)), ...welcome(dress, cols)], rows),
      cursor: null,
      isQuestionWhole: true,
      ...nothing,
    };
  const question = shownQuestion(model);
  const most = Math.floor((rows - 1) * QUESTION_SHARE);
  const { memory } = drawing;
  const given = { all: openQuestions(session.status), draft: model.answer, memory, cols, rows: most, dress };
  const asked = question === null ? NOTHING_ASKED : questionRows({ question, ...given });
  const room = Math.max(0, rows - 1 - asked.rows.length);
  const { back, right } = model.scroll;
  const { atColumn } = frame.pane;
  const shown = drawing.content?.rows({ cols, rows: room, atColumn, back, right }) ?? NO_CONTENT;
  return {
    rows: [
      paneTitle({ model, session, cols, canGoBack: shown.canGoBack, now: drawing.now, home: drawing.home, dress }),
      ...filled(shown.rows, room),
      ...asked.rows,
    ],
    isQuestionWhole: asked.isWhole,
    hasSuggestion: asked.hasSuggestion,
    options: [...Array.from({ length: room + 1 }, () => null), ...asked.options],
    // Show the session's cursor only if the user is not writing something elsewhere.
    cursor: shown.cursor === null ? null : { row: shown.cursor.row + 1, col: shown.cursor.col },
  };
}

function pageRows(page: Page, { cols, rows, dress }: { cols: number; rows: number; dress: Style }) {
  const title = truncate(` ${page.title} `, Math.max(0, cols - 3));
  const head = `${dress('dim', '──')}${dress('bold', title)}${dress('dim', '─'.repeat(Math.max(0, cols - 2 - displayWidth(title))))}`;
  const cursor = page.cursor ?? null;
  return {
    rows: filled([head, ...page.rows], rows),
    cursor: cursor === null ? null : { row: cursor.row + 1, col: cursor.col },
  };
}

function filled(rows: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, row) => rows[row] ?? '');
}

/** Draws the horizontal rule above the input, which contains the current message. */
function rule({ model, mode, size, now, dress }: Drawing): string {
  const box = mode.input?.() ?? null;
  const toast = model.toast !== null && model.toast.until > now ? model.toast : null;
  const { cols, rows } = LEAST_SIZE;
  const small = isBelow(size, LEAST_SIZE) ? `${size.cols}×${size.rows}: better with ${cols}×${rows} or more` : '';
  const title = ` ${toast?.text ?? (box?.title || small)} `;
  const shown = title.trim() === '' ? '' : truncate(title, size.cols - 3);
  const tones = { good: 'green', bad: 'red', wait: 'bold' } as const;
  const tone = toast === null ? null : tones[toast.tone];
  return `${dress('dim', '──')}${dress(tone, shown)}${dress('dim', '─'.repeat(Math.max(0, size.cols - 2 - displayWidth(shown))))}`;
}

function inputRows({ mode, size, dress }: Drawing): { rows: string[]; cursor: Cursor } {
  const { cols } = size;
  const box: InputBox | null = mode.input?.() ?? null;
  if (box === null) return { rows: [''], cursor: null };
  const mark = displayWidth(box.mark);
  const { rows, cursor } = layoutEditor(box.editor, Math.max(1, cols - mark - 1));
  if (!box.isActive) return { rows: [dress('dim', fitTo(`${box.mark}${rows[0] ?? ''}`, cols - 1))], cursor: null };
  const most = Math.max(1, Math.min(MAX_INPUT_ROWS, size.rows - FIXED_ROWS - 1));
  const start = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most));
  return {
    rows: rows
      .slice(start, start + most)
      .map((row, index) => `${start + index === 0 ? dress('cyan', box.mark) : ' '.repeat(mark)}${row}`),
    cursor: { row: cursor.row - start, col: mark + cursor.col },
  };
}

/** Returns hints for the keys that currently work, as many as fit, and always one for the key that shows all keys. */
function footer({ size, dress }: Drawing, hints: readonly Hint[]): string {
  const cells = ([key, does]: Hint): number => displayWidth(key) + displayWidth(does) + 3;
  const last = hints.find(([key]) => key === '?');
  let width = last === undefined ? 0 : cells(last);
  const shown = hints.filter((hint) => {
    if (hint === last || width + cells(hint) > size.cols) return hint === last;
    width += cells(hint);
    return true;
  });
  return shown.map(([key, does]) => ` ${dress('bold', key)} ${dress('dim', does)} `).join('');
}
