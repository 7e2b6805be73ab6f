import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import {
  CatalogueError,
  type CheckpointAt,
  type CheckpointChanges,
  type CheckpointMoment,
  checkpointAt,
  type Turn,
} from '../../protocol/index.ts';
import { changeLetter, shownName } from '../../text/changes-words.ts';
import {
  checkpointLines,
  entryName,
  type MarkedEntry,
  markedText,
  marksOf,
  sinceText,
} from '../../text/checkpoint-words.ts';
import { problemText } from '../changes/problem-text.ts';
import { client, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { addressOf } from '../navigation/router.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { type ReadFolder, type TreeRow, treeRows } from './file-tree.ts';
import { PastFile } from './past-file.tsx';

/** How long the position must stay in one checkpoint before its files are read, as when the scrubber is dragged. */
const SETTLE_MS = 150;
/** The height of a row: as tall as a thumb on a touch screen, otherwise less. */
const [ROW_PX, THUMB_ROW_PX] = [32, 44];
const INDENT_PX = 16;

/** Everything that has been read about a checkpoint. */
interface ReadCheckpoint {
  of: CheckpointMoment;
  changes: CheckpointChanges;
  folders: ReadonlyMap<string, ReadFolder>;
}

/**
 * Shows the files of a session as they were at the moment that is being played. Files are read only when the position
 * reaches another checkpoint, and folders only when they are opened.
 * @param props.moment the moment in Unix milliseconds, or null if the recording does not say when it was made
 */
export function PastFiles({ slug, moment }: { slug: string; moment: ReadonlySignal<number | null> }) {
  const isWorking = useComputed(() => sessions.value.get(slug)?.status.primary === 'active').value;
  const turns = useSignal<readonly Turn[] | null>(null);
  const problem = useSignal<string | null>(null);
  const onError = (error: unknown): void => {
    if (!(error instanceof CatalogueError)) throw error;
    problem.value = problemText(error);
  };
  useRead(
    () => client.call('listTurns', { params: { slug } }),
    {
      onRead: (answer) => {
        turns.value = answer.turns;
        problem.value = null;
      },
      onError,
    },
    [slug, isWorking],
  );

  // The position changes with every frame, but the text only with the checkpoint.
  const found = useComputed(() =>
    moment.value === null || turns.value === null ? '' : JSON.stringify(checkpointAt(turns.value, moment.value)),
  ).value;
  const at = useMemo(() => (found === '' ? null : (JSON.parse(found) as CheckpointAt)), [found]);
  const checkpoint = useSettled(at?.kind === 'found' ? at.checkpoint : null);
  const path = useSignal<string | null>(null);

  if (moment.value === null) return <p class="empty">This recording has no times, so its files are not known.</p>;
  if (problem.value !== null) return <p class="notice bad past-problem">{problem.value}</p>;
  if (at === null) return <p class="empty">Loading…</p>;
  return (
    <>
      <div class="past-head" role="status">
        {checkpointLines(at).map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
      {at.kind === 'found' && checkpoint !== null && (
        <Checkpoint slug={slug} checkpoint={checkpoint} path={path.value} onOpen={(name) => (path.value = name)} />
      )}
    </>
  );
}

/** Returns the checkpoint once the position has stayed in it for a moment. */
function useSettled(checkpoint: CheckpointMoment | null): CheckpointMoment | null {
  const settled = useSignal(checkpoint);
  const key = JSON.stringify(checkpoint);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        settled.value = checkpoint;
      },
      settled.peek() === null ? 0 : SETTLE_MS,
    );
    return () => clearTimeout(timer);
  }, [key]);
  return settled.value;
}

function Checkpoint(props: {
  slug: string;
  checkpoint: CheckpointMoment;
  path: string | null;
  onOpen(path: string | null): void;
}) {
  const { slug, checkpoint, path, onOpen } = props;
  const read = useSignal<ReadCheckpoint | null>(null);
  const open = useSignal<ReadonlySet<string>>(new Set());
  const problem = useSignal<string | null>(null);
  const { turn, state } = checkpoint;
  const onError = (error: unknown): void => {
    problem.value = problemText(error);
  };
  useRead(
    () => readCheckpoint(slug, checkpoint, open.peek()),
    {
      onRead: (answer) => {
        read.value = answer;
        problem.value = null;
      },
      onError,
    },
    [slug, turn, state],
  );
  const more = (folder: string, from: number): void => {
    readFolder(slug, checkpoint, { folder, from })
      .then((part) => {
        const shown = read.peek();
        if (shown === null || part === null || shown.of.turn !== turn || shown.of.state !== state) return;
        const before = from === 0 ? [] : (shown.folders.get(folder)?.entries ?? []);
        const whole = { ...part, entries: [...before, ...part.entries] };
        read.value = { ...shown, folders: new Map([...shown.folders, [folder, whole]]) };
      })
      .catch(onError);
  };
  const toggle = ({ path: folder, deleted }: MarkedEntry): void => {
    const isOpen = open.peek().has(folder);
    open.value = new Set(isOpen ? [...open.peek()].filter((one) => one !== folder) : [...open.peek(), folder]);
    if (!isOpen && !deleted && read.peek()?.folders.has(folder) === false) more(folder, 0);
  };
  const marks = useMemo(() => marksOf(read.value?.changes.files ?? []), [read.value?.changes]);
  const rows = useMemo(
    () => treeRows(read.value?.folders ?? new Map(), open.value, marks),
    [read.value, open.value, marks],
  );

  if (problem.value !== null) return <p class="notice bad past-problem">{problem.value}</p>;
  if (read.value === null) return <p class="empty">Loading…</p>;
  const { changes } = read.value;
  const turnChanges = addressOf({ page: 'changes', slug, file: path, turn });
  return (
    <>
      <p class="past-since">
        <span class="faint grow">{sinceText(changes)}</span>
        <a href={turnChanges}>What turn {turn} changed</a>
      </p>
      {path === null ? (
        <Tree key={`${turn} ${state}`} {...{ rows, open: onOpen, toggle, more }} />
      ) : (
        <PastFile
          slug={slug}
          checkpoint={checkpoint}
          path={path}
          change={marks.files.get(path) ?? null}
          onBack={() => onOpen(null)}
        />
      )}
    </>
  );
}

async function readCheckpoint(slug: string, of: CheckpointMoment, open: ReadonlySet<string>): Promise<ReadCheckpoint> {
  const [changes, ...folders] = await Promise.all([
    client.call('checkpointChanges', { params: paramsOf(slug, of), query: { state: of.state } }),
    ...['', ...open].map(async (folder) => [folder, await readFolder(slug, of, { folder, from: 0 })] as const),
  ]);
  return { of, changes, folders: new Map(folders.flatMap(([name, read]) => (read === null ? [] : [[name, read]]))) };
}

/** Reads a part of a folder; null if the checkpoint does not have the folder. */
async function readFolder(
  slug: string,
  of: CheckpointMoment,
  { folder, from }: { folder: string; from: number },
): Promise<ReadFolder | null> {
  const query = { state: of.state, folder, from };
  return client.call('checkpointFiles', { params: paramsOf(slug, of), query }).catch((error: unknown) => {
    if (error instanceof CatalogueError && error.code === 'no_such_file') return null;
    throw error;
  });
}

const paramsOf = (slug: string, { turn }: CheckpointMoment) => ({ slug, turn: String(turn) });

function Tree(props: {
  rows: readonly TreeRow[];
  open(path: string): void;
  toggle(entry: MarkedEntry): void;
  more(folder: string, from: number): void;
}) {
  const { rows, open, toggle, more } = props;
  const rowHeightPx = matchMedia('(pointer: coarse), (max-width: 720px)').matches ? THUMB_ROW_PX : ROW_PX;
  if (rows.length === 0) return <p class="empty">No files.</p>;
  return (
    <VirtualList
      class="past-files"
      label="Files at this moment"
      count={rows.length}
      rowHeightPx={rowHeightPx}
      row={(index) => {
        const row = rows[index];
        if (row === undefined) return null;
        const style = { height: `${rowHeightPx}px`, paddingLeft: `calc(var(--s4) + ${row.depth * INDENT_PX}px)` };
        return row.kind === 'more' ? (
          <More
            key={`${row.folder} ${row.from}`}
            style={style}
            left={row.left}
            read={() => more(row.folder, row.from)}
          />
        ) : (
          <Entry
            key={index}
            {...row}
            style={style}
            onClick={() => (row.entry.kind === 'folder' ? toggle(row.entry) : open(row.entry.path))}
          />
        );
      }}
    />
  );
}

/** Reads the next part of a folder as soon as the user has scrolled to it. */
function More({ style, left, read }: { style: Readonly<Record<string, string>>; left: number; read(): void }) {
  useEffect(read, []);
  return (
    <p class="past-entry faint" style={style}>
      Loading {left} more…
    </p>
  );
}

function Entry(props: {
  entry: MarkedEntry;
  isOpen: boolean;
  style: Readonly<Record<string, string>>;
  onClick(): void;
}) {
  const { entry, isOpen, style, onClick } = props;
  const { path, kind, change, deleted } = entry;
  const isFolder = kind === 'folder';
  const letter = change === null ? (isFolder ? (isOpen ? '▾' : '▸') : '') : changeLetter(change);
  const status = deleted ? 'deleted' : change?.status.replaceAll('_', ' ');
  return (
    <button
      type="button"
      class="past-entry"
      style={style}
      title={shownName(path)}
      aria-expanded={isFolder ? isOpen : undefined}
      data-deleted={deleted}
      onClick={onClick}
    >
      <span class="changed-letter" data-status={deleted ? 'deleted' : change?.status} aria-hidden="true">
        {letter}
      </span>
      <bdi class="grow clip">{entryName(entry)}</bdi>
      {status !== undefined && <span class="hidden-text">{status}</span>}
      <span class="number faint">{markedText(entry)}</span>
    </button>
  );
}
