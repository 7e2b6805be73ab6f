import { CatalogueError, type Changes, type Patch } from '../../protocol/index.ts';
import {
  baseText,
  changedName,
  changeLetter,
  changeStyle,
  leftOutLines,
  linesText,
  totalText,
} from '../../text/changes-words.ts';
import { displayWidth } from '../../text/display-width.ts';
import { type PatchRow, patchRows, rowText } from '../../text/patch-rows.ts';
import type { StyleName } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { type App, errorText, requireSelected } from '../app.ts';
import { wrap } from '../view/cells.ts';
import { pagerStep } from './pager-keys.ts';

interface Read {
  changes: Changes;
  patch: Patch;
  rows: readonly PatchRow[];
}

interface Drawn {
  cols: number;
  read: Read;
  lines: string[];
  /** the lines at which files begin */
  files: number[];
}

/** What the selected session changed, to be scrolled through; read again when a turn of it ends. */
export function showChanges(app: App): void {
  const session = requireSelected(app);
  if (session === null) return;
  const { slug } = session;
  const isWorking = (): boolean => app.model.view.get(slug)?.status.primary === 'active';
  let read: Read | null = null;
  let problem: string | null = null;
  let drawn: Drawn | null = null;
  let wasWorking = isWorking();
  let top = 0;
  let height = 1;
  let isClosed = false;

  const load = (): void =>
    app.run(async () => {
      try {
        const changes = await app.client.call('changes', { params: { slug } });
        const patch = await app.client.call('patch', { params: { slug }, query: {} });
        read = { changes, patch, rows: patchRows(patch.patch) };
        problem = null;
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        problem = errorText(error, slug);
      }
      if (!isClosed) app.changed();
    });
  const scrollTo = (line: number): void => {
    top = Math.max(0, Math.min((drawn?.lines.length ?? 0) - height, line));
    app.changed();
  };
  const toFile = (by: 1 | -1): void => {
    const files = drawn?.files ?? [];
    const next = by === 1 ? files.find((line) => line > top) : files.findLast((line) => line < top);
    if (next !== undefined) scrollTo(next);
  };
  load();
  app.open({
    hints: () => [
      ['j/k', 'scroll'],
      [']', 'next file'],
      ['[', 'file before'],
      ['r', 'read again'],
      ['Esc', 'back'],
    ],
    handle(event) {
      if (event.kind !== 'key') return;
      const step = pagerStep(event.name, height);
      if (step !== undefined) scrollTo(top + step);
      else if (event.name === ']') toFile(1);
      else if (event.name === '[') toFile(-1);
      else if (event.name === 'r') load();
      else if (['escape', 'q', 'd', 'ctrl+c'].includes(event.name)) {
        isClosed = true;
        app.close();
      }
    },
    page(cols, rows) {
      const works = isWorking();
      if (wasWorking && !works) load();
      wasWorking = works;
      height = rows;
      const title = `${cleanLine(slug)} changed`;
      if (problem !== null) return { title, rows: wrap(problem, cols - 1) };
      if (read === null) return { title, rows: ['', ' reading…'] };
      if (drawn?.cols !== cols || drawn.read !== read) drawn = draw(app, read, cols);
      const { lines } = drawn;
      top = Math.max(0, Math.min(top, lines.length - rows));
      const rest = lines.length > top + rows ? `  (${lines.length - top - rows} more lines)` : '';
      return { title: `${title} ${totalText(read.changes.total)}${rest}`, rows: lines.slice(top, top + rows) };
    },
  });
}

const STYLES: Readonly<Record<PatchRow['kind'], StyleName | null>> = {
  file: 'bold',
  said: 'dim',
  hunk: 'cyan',
  context: null,
  added: 'green',
  removed: 'red',
  note: 'dim',
};

/** Which files, and below them what in them. */
function draw({ dress }: App, read: Read, cols: number): Drawn {
  const { changes, patch, rows } = read;
  const fitted = (text: string, style: StyleName | null): string[] =>
    (displayWidth(text) < cols ? [text] : wrap(text, cols - 1)).map((line) => dress(style, line));
  const lines = [
    ...fitted(baseText(changes.base), 'dim'),
    ...changes.files.flatMap((file) =>
      fitted(`${changeLetter(file)} ${changedName(file)}  ${linesText(file)}`, changeStyle(file)),
    ),
    ...leftOutLines(changes).flatMap((line) => fitted(line, 'dim')),
  ];
  const files: number[] = [];
  for (const row of rows) {
    if (row.kind === 'file') {
      lines.push('');
      files.push(lines.length);
    }
    lines.push(...fitted(rowText(row), STYLES[row.kind]));
  }
  if (patch.cut) lines.push(...fitted(`The patch is longer than this: cbos diff shows single files`, 'dim'));
  return { cols, read, lines, files };
}
