import { CatalogueError } from '../../protocol/index.ts';
import { tellBinaries, totalText } from '../../text/changes-words.ts';
import { patchRows } from '../../text/patch-rows.ts';
import { colourPatch } from '../../text/syntax/patch-colours.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { type App, errorText, requireOwn } from '../app.ts';
import { createList, moreText } from '../list.ts';
import type { Page } from '../mode.ts';
import { wrap } from '../view/cells.ts';
import { type Binding, keysFor } from './binding.ts';
import { colourLines, type Drawn, drawChanges, dressLine, isColoured, type ReadChanges } from './changes-lines.ts';
import { PAGER_KEYS } from './pager-keys.ts';
import { type CommentPlace, markReviewed, placeOfRange, readReviewed, showReview, writeComment } from './review.ts';
import { chooseTurn } from './turns.ts';

interface ChangesOptions {
  /** the turn whose changes are shown; if absent, all changes are shown */
  turn?: number | null;
  /** the line that is selected at first */
  startAt?: number;
  /**
   * called when the user leaves the page, to return to where it was opened from; if absent, leaving the page returns to
   * browsing
   */
  onLeave?: () => void;
}

/** Shows the selected session's changes as a page. They are read again whenever one of the session's turns ends. */
export function showChanges(app: App, options: ChangesOptions = {}): void {
  const session = requireOwn(app);
  if (session === null) return;
  const changes = createChanges(app, session.slug, options);
  changes.read();
  app.open({ ...keysFor(CHANGES_KEYS, { of: changes, toast: app.toast }), page: changes.page });
}

/** Returns a function that colours lines which have been drawn without colours, bit by bit, and draws them again. */
function createColouring(app: App, isClosed: () => boolean): (of: Drawn, shown: Drawn['lines']) => void {
  let isColouring = false;
  return (of, shown) => {
    if (isColouring || isColoured(of, shown)) return;
    isColouring = true;
    const step = (): void => {
      colourLines(of, shown, app.options.now);
      isColouring = !isClosed() && !isColoured(of, shown);
      if (isColouring) app.options.startTimer(step, 0);
      else if (!isClosed()) app.changed();
    };
    app.options.startTimer(step, 0);
  };
}

/** Creates the page, and what its keys do. */
function createChanges(app: App, slug: string, { turn = null, startAt = 0, onLeave = app.close }: ChangesOptions) {
  const isWorking = (): boolean => app.model.view.get(slug)?.status.primary === 'active';
  let read: ReadChanges | null = null;
  let problem: string | null = null;
  let drawn: Drawn | null = null;
  let wasWorking = isWorking();
  const list = createList({ items: () => drawn?.lines ?? [], at: startAt });
  /** the first line of a comment's range, or null if the comment covers a single line */
  let rangeFrom: number | null = null;
  let isClosed = false;
  const colourSoon = createColouring(app, () => isClosed);

  const load = (): void =>
    app.run(async () => {
      try {
        const query = turn === null ? {} : { turn: String(turn) };
        const changes = await app.client.call('changes', { params: { slug }, query });
        const patch = await app.client.call('patch', { params: { slug }, query });
        // Reviewed marks and comments refer to the files as they are now.
        const reviewed = turn === null ? await readReviewed(app, slug) : new Set<string>();
        const rows = tellBinaries(patchRows(patch.patch), changes.files);
        read = { changes, patch, rows, colours: colourPatch(rows, app.options.now), reviewed };
        problem = null;
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        problem = errorText(error, slug);
      }
      if (!isClosed) app.changed();
    });
  const isChosen = (line: number): boolean => {
    const [at, from] = [list.at(), rangeFrom ?? list.at()];
    return line >= Math.min(from, at) && line <= Math.max(from, at);
  };
  const chosenPlace = (): CommentPlace | null => {
    const places = drawn?.places ?? [];
    return placeOfRange(places[rangeFrom ?? list.at()] ?? null, places[list.at()] ?? null);
  };
  const comment = (): void => {
    const place = chosenPlace();
    if (place === null) app.toast('bad', 'A comment belongs to one file; move to a file with j or k');
    else writeComment(app, slug, place, () => showChanges(app, { startAt: list.at(), onLeave }));
  };
  const mark = (): void => {
    const file = drawn?.places[list.at()]?.file;
    if (file === undefined || read === null) app.toast('bad', 'First move to a line of the file, with ] or j');
    else markReviewed(app, { slug, file, reviewed: !read.reviewed.has(file) }, load);
  };
  const toFile = (key: string): void => {
    const files = drawn?.files ?? [];
    const at = list.at();
    const next = key === ']' ? files.find((line) => line > at) : files.findLast((line) => line < at);
    if (next !== undefined) list.chooseAtTop(next);
  };
  const review = (): void => {
    isClosed = true;
    app.close();
    showReview(app, slug);
  };
  return {
    /** whether all changes are shown, and not only those of a turn */
    isAll: turn === null,
    /** whether the next comment covers several lines */
    hasRange: () => rangeFrom !== null,
    move: list.onKey,
    ...{ read: load, comment, mark, review, toFile },
    chooseTurn: () =>
      chooseTurn(app, { slug, turn, onChoose: (chosen) => showChanges(app, { turn: chosen, onLeave }) }),
    toggleRange() {
      rangeFrom = rangeFrom === null ? list.at() : null;
    },
    leave() {
      isClosed = true;
      onLeave();
    },
    page(cols: number, rows: number): Page {
      const works = isWorking();
      if (wasWorking && !works) load();
      wasWorking = works;
      const title = `${cleanLine(slug)} changed`;
      if (problem !== null) return { title, rows: wrap(problem, cols - 1) };
      if (read === null) return { title, rows: ['', ' reading…'] };
      if (drawn?.cols !== cols - 1 || drawn.read !== read) drawn = drawChanges(read, cols - 1);
      const of = drawn;
      const { first, end } = list.window(rows);
      const shown = of.lines.slice(first, end);
      colourSoon(of, shown);
      const { dress } = app;
      return {
        title: `${title} ${totalText(read.changes.total)}${turn === null ? '' : ` in turn ${turn}`}${moreText(of.lines.length - end)}`,
        rows: shown.map((line, at) => `${isChosen(first + at) ? '▌' : ' '}${dressLine(dress, of, line)}`),
      };
    },
  };
}

type ChangesPage = ReturnType<typeof createChanges>;

const ofAll = ({ isAll }: ChangesPage): string | null =>
  isAll ? null : 'Comments and marks belong to the files as they are now — t, then all changes';

/** The keys of the page, in the footer's order. */
export const CHANGES_KEYS: readonly Binding<ChangesPage>[] = [
  { keys: PAGER_KEYS, label: 'j/k', does: 'scroll', run: (page, key) => page.move(key) },
  { keys: [']', '['], label: '] [', does: 'next, previous file', run: (page, key) => page.toFile(key) },
  {
    keys: ['t'],
    does: 'turns',
    help: 'in its changes: choose a turn, and show only what that turn changed',
    run: (page) => page.chooseTurn(),
  },
  {
    keys: ['c'],
    does: 'comment',
    disabled: ofAll,
    helpKeys: 'c v m R',
    help: 'in its changes: comment on one or several lines, or mark a file as reviewed; R opens the review, s sends it',
    run: (page) => page.comment(),
  },
  {
    keys: ['v'],
    does: (page) => (page.hasRange() ? 'one line' : 'several lines'),
    disabled: ofAll,
    run: (page) => page.toggleRange(),
  },
  { keys: ['m'], does: 'reviewed', disabled: ofAll, run: (page) => page.mark() },
  { keys: ['R'], does: 'review', disabled: ofAll, run: (page) => page.review() },
  { keys: ['r'], does: 'read again', run: (page) => page.read() },
  { keys: ['escape', 'q', 'd', 'ctrl+c'], does: 'back', run: (page) => page.leave() },
];
