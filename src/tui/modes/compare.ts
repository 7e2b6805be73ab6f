import { attemptsLike, type Compared, compareSession } from '../../client/compare.ts';
import { elsewhereOf } from '../../protocol/index.ts';
import { COMPARED_ROWS } from '../../text/compare-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { isFinishable } from '../../text/worktree-words.ts';
import { type App, requireOwn } from '../app.ts';
import { markedSessions } from '../lifecycle.ts';
import { createList, createPager } from '../list.ts';
import { fitTo, wrap } from '../view/cells.ts';
import { type Binding, keysOf, leavingBy, movingBy } from './binding.ts';
import { showChanges } from './changes.ts';
import { finish } from './finish.ts';

/** The width of the row titles, in cells. */
const TITLE_CELLS = 12;
/** The width of the narrowest column in which an answer is still readable, in cells. */
const LEAST_CELLS = 20;
const GAP = '  ';

/**
 * Compares the named sessions. Without names, it compares the marked sessions; without marks, the selected session and
 * the other attempts at its task.
 */
export function compareByWords(app: App, words: string): void {
  const { view } = app.model;
  const named = words.split(/\s+/).filter((word) => word !== '');
  const slugs = [...new Set(named.length > 0 ? named : slugsToCompare(app))];
  if (named.length === 0 && slugs.length === 0) return;
  if (slugs.length < 2) {
    app.toast('bad', 'Nothing to compare with — mark sessions with Space, or /compare NAME NAME');
    return;
  }
  for (const slug of slugs) {
    const session = view.get(slug);
    const elsewhere = session === undefined ? null : elsewhereOf(session);
    if (session !== undefined && elsewhere === null) continue;
    const why = elsewhere === null ? `No session is named ${slug}` : `${slug}: this works only on ${elsewhere.machine}`;
    app.toast('bad', why);
    return;
  }
  showCompare(app, slugs);
}

function slugsToCompare(app: App): string[] {
  const marked = markedSessions(app).map(({ slug }) => slug);
  if (marked.length > 0) return marked;
  const session = requireOwn(app);
  return session === null ? [] : [session.slug, ...attemptsLike(session.slug, app.model.view.keys())].sort();
}

/**
 * Shows side by side what several sessions with the same task have done. To keep the work of one session, the user
 * finishes its worktree.
 */
function showCompare(app: App, slugs: readonly string[]): void {
  const compared = new Map<string, Compared>();
  let isReading = false;
  /** whether to read the sessions again once the current reading has ended */
  let isAsked = false;
  const list = createList({ items: () => slugs });
  const pager = createPager();

  const read = (): void => {
    isAsked = true;
    if (isReading) return;
    isReading = true;
    app.run(async () => {
      try {
        while (isAsked) {
          isAsked = false;
          // Sessions are read one after another, because each needs git and a transcript of several megabytes.
          for (const slug of slugs) {
            const session = app.model.view.get(slug);
            if (session !== undefined) compared.set(slug, await compareSession(app.client, session));
            app.changed();
          }
        }
      } finally {
        isReading = false;
      }
    });
  };
  const selectChosen = (): void => app.select(list.chosen() ?? null);
  const rows: Binding[] = [
    {
      keys: ['left', 'h', 'right', 'l'],
      label: '←/→',
      does: 'choose',
      run: (_, key) => list.move(key === 'left' || key === 'h' ? -1 : 1),
    },
    {
      keys: ['d'],
      does: 'its changes',
      run() {
        selectChosen();
        showChanges(app, { onLeave: show });
      },
    },
    {
      keys: ['F'],
      does() {
        const session = app.model.view.get(list.chosen() ?? '');
        return session !== undefined && isFinishable(session) ? 'finish it' : null;
      },
      run() {
        selectChosen();
        finish(app);
      },
    },
    {
      keys: ['enter'],
      does: 'open it',
      run() {
        selectChosen();
        app.close();
      },
    },
    { keys: ['r'], does: 'read again', run: read },
    movingBy(pager.onKey, 'scroll'),
    leavingBy(app.close),
  ];
  const show = (): void =>
    app.open({
      ...keysOf(app, rows),
      page(cols, height) {
        const most = Math.floor((cols - TITLE_CELLS) / (LEAST_CELLS + GAP.length));
        const fitting = Math.max(1, Math.min(slugs.length, most));
        const { first, end } = list.window(fitting);
        const shown = slugs.slice(first, end);
        const width = Math.max(1, Math.floor((cols - TITLE_CELLS) / fitting) - GAP.length);
        const columns = shown.map((slug) => {
          const one = compared.get(slug);
          // Unlike the rest, the state is taken from the view, so it is always current.
          return one === undefined ? null : { ...one, session: app.model.view.get(slug) ?? one.session };
        });
        const names = shown.map((slug, at) => {
          const name = fitTo(cleanLine(slug), width);
          return app.dress(first + at === list.at() ? 'inverse' : 'bold', name);
        });
        const lines = tableLines(app.dress, columns, width);
        // The row of names does not scroll.
        const table = pager.show(lines, Math.max(1, height - 1));
        const part = fitting === slugs.length ? '' : `, ${first + 1} to ${end}`;
        return {
          title: `Compare: ${slugs.length} sessions${part}${table.more}`,
          rows: [[' '.repeat(TITLE_CELLS), names.join(GAP)].join(''), ...table.rows],
        };
      },
    });
  read();
  show();
}

/** Draws the rows of the table. A column is null until its session has been read. */
function tableLines(dress: Style, columns: readonly (Compared | null)[], width: number): string[] {
  return COMPARED_ROWS.flatMap(({ title, text, style }) => {
    const cells = columns.map((one) => (one === null ? ['…'] : wrap(text(one), width)));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, row) => {
      const parts = columns.map((one, at) => {
        const part = fitTo(cells[at]?.[row] ?? '', width);
        return dress(one === null ? 'dim' : (style?.(one) ?? null), part);
      });
      return `${dress('dim', fitTo(row === 0 ? ` ${title}` : '', TITLE_CELLS))}${parts.join(GAP)}`;
    });
  });
}
