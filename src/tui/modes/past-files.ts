import { type Caller, readFolder } from '../../client/index.ts';
import type { CheckpointAt, CheckpointChanges, CheckpointFile, CheckpointMoment } from '../../protocol/index.ts';
import { changedName, changeLetter, changeStyle, linesText, shownName } from '../../text/changes-words.ts';
import {
  checkpointLines,
  contentText,
  entryName,
  fileLines,
  type MarkedEntry,
  markedEntries,
  markedText,
  marksOf,
  sinceText,
  stateText,
} from '../../text/checkpoint-words.ts';
import { displayWidth, truncate } from '../../text/display-width.ts';
import { formatDateTime } from '../../text/durations.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { LONGEST_LINE } from '../../text/patch-rows.ts';
import type { Style, StyleName } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { createList, createPager } from '../list.ts';
import type { Mode, Page } from '../mode.ts';
import { wrap } from '../view/cells.ts';
import { listRow } from '../view/dress.ts';
import { type Binding, keysFor, movingBy } from './binding.ts';

/** What the page needs from the program that shows it. */
export interface PastFilesHost {
  client: Pick<Caller, 'call'>;
  dress: Style;
  changed(): void;
  /** runs work that takes a while, and reports its error */
  run(work: () => Promise<void>): void;
}

interface PastFilesOptions {
  slug: string;
  at: CheckpointAt;
  /** called when the user leaves the page */
  onLeave(): void;
}

/** A row that the user can choose, and what choosing it opens. */
interface Row {
  text: string;
  style: StyleName | null;
  open: { kind: 'file' | 'folder'; path: string } | null;
}

/** A file that is shown, with its lines for the width that it was last drawn with. */
interface ShownFile {
  path: string;
  file: CheckpointFile | null;
  lines: { cols: number; rows: string[] } | null;
}

/**
 * Creates the page with the files of a session at a checkpoint: first the files that changed since the checkpoint
 * before, then the files and folders. Both the terminal UI and a replay show it.
 */
export function pastFiles(host: PastFilesHost, { slug, at, onLeave }: PastFilesOptions): Mode {
  const checkpoint = at.kind === 'found' ? at.checkpoint : null;
  let changes: CheckpointChanges | null = null;
  let rows: Row[] = [];
  let folder = '';
  let shown: ShownFile | null = null;
  let list = createList({ items: () => rows });
  let pager = createPager();
  const openFolder = (of: CheckpointMoment, path: string, from: string | null): void =>
    host.run(async () => {
      const { params, query } = asked(slug, of);
      changes ??= await host.client.call('checkpointChanges', { params, query });
      const { entries } = await readFolder(host.client, { params, query: { ...query, folder: path } });
      folder = path;
      rows = rowsOf(changes, folder, markedEntries(folder, entries, marksOf(changes.files)));
      list = createList({
        items: () => rows,
        at: rows.findIndex(({ open }) => open !== null && open.path === from),
      });
      host.changed();
    });
  const openFile = (of: CheckpointMoment, path: string): void =>
    host.run(async () => {
      const { params, query } = asked(slug, of);
      const isDeleted = changes?.files.some((file) => file.path === path && file.status === 'deleted') === true;
      const file = isDeleted ? null : await host.client.call('checkpointFile', { params, query: { ...query, path } });
      shown = { path, file, lines: null };
      pager = createPager();
      host.changed();
    });
  const back = (): void => {
    if (shown !== null) {
      shown = null;
      host.changed();
    } else if (folder !== '' && checkpoint !== null) {
      openFolder(checkpoint, folder.slice(0, Math.max(0, folder.lastIndexOf('/'))), folder);
    } else onLeave();
  };
  if (checkpoint !== null) openFolder(checkpoint, '', null);
  const move = (key: string): void => {
    if ((shown === null ? list : pager).onKey(key)) host.changed();
  };
  const open = (): void => {
    const chosen = list.chosen()?.open;
    if (chosen == null || checkpoint === null) return;
    (chosen.kind === 'folder' ? openFolder : openFile)(checkpoint, chosen.path, null);
  };
  const keys: Binding<null>[] = [
    movingBy(move, () => (shown === null ? 'choose' : 'scroll')),
    { keys: ['enter'], does: 'open', applies: () => shown === null, run: open },
    { keys: ['escape', 'q', 'f', 'left'], does: 'back', run: back },
    { keys: ['ctrl+c'], run: onLeave },
  ];
  return {
    ...keysFor(keys, { of: null }),
    page(cols, rowsTotal): Page {
      const told = checkpointLines(at);
      if (checkpoint === null) {
        return { title: `Files of ${cleanLine(slug)}`, rows: told.flatMap((line) => wrap(line, cols - 1)) };
      }
      const title = (name: string): string => `${name}: the files ${stateText(checkpoint)}`;
      if (shown !== null) {
        if (shown.lines?.cols !== cols) shown.lines = { cols, rows: linesOf(shown, cols - 1) };
        const part = pager.show(shown.lines.rows, rowsTotal);
        return { title: `${shownName(shown.path)} ${stateText(checkpoint)}${part.more}`, rows: part.rows };
      }
      if (changes === null) return { title: title(cleanLine(slug)), rows: ['', ' reading…'] };
      const about = [`${formatDateTime(checkpoint.at)}, ${sinceText(changes)}`, ...told.slice(1)]
        .flatMap((line) => wrap(line, cols - 1))
        .map((line) => host.dress('dim', line));
      const listed = list.show(Math.max(1, rowsTotal - about.length), ({ text, style }, isChosen) => [
        listRow(host.dress, truncate(text, cols - 3), { isChosen, style }),
      ]);
      return { title: title(folder === '' ? cleanLine(slug) : `${shownName(folder)}/`), rows: [...about, ...listed] };
    },
  };
}

const asked = (slug: string, { turn, state }: CheckpointMoment) => ({
  params: { slug, turn: String(turn) },
  query: { state },
});

/** Returns the rows of a folder. Above the top folder's entries are all files that changed. */
function rowsOf({ files }: CheckpointChanges, folder: string, entries: readonly MarkedEntry[]): Row[] {
  const changed = files.map(
    (file): Row => ({
      text: `${changeLetter(file)} ${changedName(file)}  ${linesText(file)}`,
      style: changeStyle(file),
      open: { kind: 'file', path: file.path },
    }),
  );
  const listed = entries.map((entry): Row => {
    const { path, kind, change, deleted } = entry;
    const about = markedText(entry);
    const letter = change === null ? ' ' : changeLetter(change);
    return {
      text: `${letter} ${entryName(entry)}${about === '' ? '' : `  ${about}`}`,
      style: change === null ? (deleted ? 'red' : null) : changeStyle(change),
      open: kind === 'folder' && deleted ? null : { kind: kind === 'folder' ? 'folder' : 'file', path },
    };
  });
  if (folder !== '') return listed;
  return changed.length === 0 ? listed : [...changed, { text: '', style: null, open: null }, ...listed];
}

/** Returns the lines of a file, no wider than requested. */
function linesOf({ path, file }: ShownFile, cols: number): string[] {
  if (file === null) return wrap(`${shownName(path)} was deleted.`, cols);
  const told = contentText(file);
  if (told !== null) return wrap(told, cols);
  return [
    ...fileLines(file.content ?? '').flatMap((line) => {
      const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
      const text = showHiddenMarks(cut).replaceAll('\t', '    ');
      return displayWidth(text) <= cols ? [text] : wrap(text, cols);
    }),
    ...(file.cut ? ['', 'The file is too long, so its end is missing.'] : []),
  ];
}
