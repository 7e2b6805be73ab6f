import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ChangedFile, Patch, ReviewComment } from '../../protocol/index.ts';
import { changedName, linesText } from '../../text/changes-words.ts';
import { LONGEST_LINE, type PatchRow, patchRows, rowSign, shownRow } from '../../text/patch-rows.ts';
import { client } from '../connection/fleet.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { ColouredLine } from '../syntax/coloured-line.tsx';
import { type PatchColours, usePatchColours } from '../syntax/use-patch-colours.ts';
import { chooseLine, chosenLines, isWithin, linesOf, rowPlace } from './chosen-lines.ts';
import { sideBySide } from './side-by-side.ts';
import { useAnswer } from './use-answer.ts';

/** The height of a line of code on the page. */
export const ROW_PX = 20;

/** Whether patches are shown in two columns. The user's choice is remembered until the page is reloaded. */
export const isSideBySide = signal(false);

interface PatchViewProps {
  slug: string;
  file: ChangedFile;
  /** only the changes of this turn, which are not commented; null for all changes */
  turn: number | null;
  /** a value that is different after the changes have been read again */
  reading: number;
  /** the file's patch, if it was read together with the changes */
  read: Pick<Patch, 'patch' | 'cut'> | null;
  /** the comments on all files that have not been sent yet */
  comments: readonly ReviewComment[];
}

/** Shows the changes of one file, line by line. */
export function PatchView({ slug, file, turn, reading, read, comments }: PatchViewProps) {
  const query = {
    file: file.path,
    ...(file.old_path === null ? {} : { old_file: file.old_path }),
    ...(turn === null ? {} : { turn: String(turn) }),
  };
  const { answer, problem } = useAnswer(
    read === null ? () => client.call('patch', { params: { slug }, query }) : null,
    [slug, file.path, file.old_path, turn, reading, read],
  );
  const patch = read ?? answer;
  const allRows = useMemo(() => patchRows(patch?.patch ?? ''), [patch]);
  const rows = useMemo(() => allRows.filter(isTold), [allRows]);
  const colours = usePatchColours(patch?.patch ?? '', allRows);
  if (read === null && problem !== null) return <p class="notice bad">{problem}</p>;
  if (file.kind === 'repository')
    return <p class="empty">{changedName(file)} is a separate repository; its changes are not shown.</p>;
  if (patch === null) return <p class="empty">Loading…</p>;
  return (
    <>
      {patch.cut && (
        <p class="notice" role="status">
          The patch is too long, so its end is missing.
        </p>
      )}
      <Rows key={file.path} {...{ slug, file, rows, colours, comments }} isCommentable={turn === null} />
    </>
  );
}

/**
 * Reports whether a row is shown. The header is not: the file's name is shown above the patch, and the ids of the
 * compared objects are of no use to the user.
 */
function isTold({ kind, text }: PatchRow): boolean {
  if (kind === 'file') return false;
  return kind !== 'said' || !/^(index |--- |\+\+\+ )/.test(text);
}

function Rows(props: {
  slug: string;
  file: ChangedFile;
  rows: readonly PatchRow[];
  colours: PatchColours;
  comments: readonly ReviewComment[];
  isCommentable: boolean;
}) {
  const { slug, file, rows, colours, isCommentable } = props;
  const comments = props.comments.filter((comment) => comment.file === file.path);
  const own = { slug, file: file.path, colours, comments, isCommentable };
  const pairs = useMemo(() => (isSideBySide.value ? sideBySide(rows) : null), [rows, isSideBySide.value]);
  const label = `Changes in ${changedName(file)}`;
  if (rows.length === 0) return <p class="empty">No lines to compare: {linesText(file)}</p>;
  return pairs === null ? (
    <VirtualList
      class="patch"
      label={label}
      count={rows.length}
      rowHeightPx={ROW_PX}
      row={(at) => {
        const row = rows[at];
        return row === undefined ? null : <Line key={at} {...own} row={row} numbers={[row.old, row.now]} />;
      }}
    />
  ) : (
    <VirtualList
      class="patch two-sides"
      label={label}
      count={pairs.length}
      rowHeightPx={ROW_PX}
      row={(at) => {
        const { before = null, after = null } = pairs[at] ?? {};
        return (
          <div key={at} class="patch-pair">
            {before === null ? <div class="patch-row" /> : <Line {...own} row={before} numbers={[before.old]} />}
            {after === null ? <div class="patch-row" /> : <Line {...own} row={after} numbers={[after.now]} />}
          </div>
        );
      }}
    />
  );
}

function Line(props: {
  slug: string;
  file: string;
  row: PatchRow;
  numbers: readonly (number | null)[];
  colours: PatchColours;
  comments: readonly ReviewComment[];
  isCommentable: boolean;
}) {
  const { slug, file, row, numbers, colours, comments, isCommentable } = props;
  const text = shownRow(row);
  const more = text.length - LONGEST_LINE;
  const place = isCommentable ? rowPlace(row) : null;
  const chosen = chosenLines.value;
  const isChosen =
    place !== null && chosen !== null && chosen.slug === slug && chosen.file === file && isWithin(place, chosen);
  const isCommented =
    place !== null &&
    comments.some((comment) => {
      const lines = linesOf(comment);
      return lines !== null && isWithin(place, lines);
    });
  return (
    <div class="patch-row" data-kind={row.kind} data-chosen={isChosen} data-commented={isCommented}>
      {numbers.map((number, at) =>
        place === null || at !== (place.side === 'now' ? numbers.length - 1 : 0) ? (
          <span key={at} class="patch-number" aria-hidden="true">
            {number ?? ''}
          </span>
        ) : (
          <button
            key={at}
            type="button"
            class="patch-number"
            tabIndex={-1}
            aria-label={`Comment on line ${place.line}${place.side === 'base' ? ' of the base' : ''}`}
            onClick={({ shiftKey }) => chooseLine({ slug, file, ...place }, shiftKey)}
          >
            {number}
          </button>
        ),
      )}
      <span class="patch-sign">{rowSign(row)}</span>
      <span>
        <ColouredLine text={more > 0 ? text.slice(0, LONGEST_LINE) : text} tokens={colours.get(row) ?? null} />
      </span>
      {more > 0 && <span class="faint"> … {more} more characters</span>}
    </div>
  );
}
