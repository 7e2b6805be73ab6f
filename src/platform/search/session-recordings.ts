import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { keptRowsFrom, readFacts, readRange, readStart } from '../recorder/index.ts';
import type { IndexedRecording } from '../sqlite/indexed-recording.ts';
import type { SearchStore } from '../sqlite/search-store.ts';

/** Where the recording of a session is. */
export interface RecordingPlace {
  typescript: string;
  timing: string | null;
}

/**
 * How many bytes identify a recording. `script`'s header, which contains the date and the terminal, takes up about 150
 * of them.
 */
const HEAD_BYTES = 256;

/**
 * Returns a value that changes with every write to a file, and that differs between files with the same name, or null
 * if the file does not exist.
 */
export async function fileState(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/**
 * Returns the recordings of a session that must be indexed, older ones first. Each recording is recognized by its first
 * bytes, because it may have been renamed, moved aside by a restart, cut off, or replaced since the last time.
 */
export async function findRecordings(
  store: SearchStore,
  scope: number,
  current: RecordingPlace,
): Promise<IndexedRecording[]> {
  const known = store.recordingsOf(scope);
  const head = await readHead(current.typescript);
  const same = head === null ? undefined : await findSame(known, current.typescript);
  const found: IndexedRecording[] = [];
  for (const recording of known) {
    if (recording.finished || recording.id === same?.id) continue;
    const moved = await findMoved(recording);
    const next = moved === null ? { ...recording, finished: true } : { ...recording, ...moved };
    if (isChanged(recording, next)) store.saveRecording(next);
    if (moved !== null) found.push(next);
  }
  if (head === null) return found;
  if (same === undefined) return [...found, await addRecording(store, scope, current)];
  // The stored head does not change even if those bytes have been dropped. A longer head replaces a shorter one.
  const isLonger = head.subarray(0, same.head.length).equals(same.head);
  const next = { ...same, ...current, head: isLonger ? head : same.head, finished: false };
  if (isChanged(same, next)) store.saveRecording(next);
  return [...found, next];
}

async function findSame(known: readonly IndexedRecording[], file: string): Promise<IndexedRecording | undefined> {
  for (const recording of known.toReversed()) if (await isIn(recording, file)) return recording;
  return undefined;
}

/** Finds a recording that has been moved. A restart renames `SLUG.typescript` to `SLUG.N.typescript`. */
async function findMoved({ typescript, head, position, timing }: IndexedRecording): Promise<RecordingPlace | null> {
  const slug = basename(typescript).replace(/(\.\d+)?\.typescript$/, '');
  const names = await readdir(dirname(typescript)).catch(() => []);
  for (const name of names) {
    const [, number] = name.startsWith(`${slug}.`)
      ? (/^(\d+)\.typescript/.exec(name.slice(slug.length + 1)) ?? [])
      : [];
    if (number === undefined) continue;
    const place = join(dirname(typescript), `${slug}.${number}`);
    if (!(await isIn({ head, position, typescript: `${place}.typescript` }, `${place}.typescript`))) continue;
    return { typescript: `${place}.typescript`, timing: timing === null ? null : `${place}.timing` };
  }
  return null;
}

/**
 * Reports whether a file contains this recording. If the oldest part of the recording has been dropped, its first bytes
 * are zeros, and only its name can identify it.
 */
async function isIn(
  recording: Pick<IndexedRecording, 'head' | 'position' | 'typescript'>,
  file: string,
): Promise<boolean> {
  const { head, position, typescript } = recording;
  const begin = await readHead(file);
  if (begin === null) return false;
  const isDropped = begin.every((byte) => byte === 0) && typescript === file;
  if (!isDropped && !begin.subarray(0, head.length).equals(head)) return false;
  return (await readStart(file)).length >= position;
}

/** null as long as the file is empty */
async function readHead(file: string): Promise<Buffer | null> {
  try {
    const head = await readRange(file, 0, HEAD_BYTES);
    return head.length === 0 ? null : head;
  } catch (cause) {
    if (cause instanceof CatalogueError) return null;
    throw cause;
  }
}

async function addRecording(
  store: SearchStore,
  scope: number,
  { typescript, timing }: RecordingPlace,
): Promise<IndexedRecording> {
  const head = (await readHead(typescript)) ?? Buffer.alloc(0);
  const { start, cols, rows, startedAt } = await readFacts({ typescript, timing, cols: null, rows: null });
  // If the index is rebuilt, it cannot contain output that has been dropped.
  const begin = (await keptRowsFrom(timing)) ?? { at: 0, offset: start, timing: 0, cols, rows };
  const recording = {
    ...{ scope, typescript, timing, head, cols: begin.cols, rows: begin.rows },
    position: begin.offset,
    timingPosition: begin.timing,
    timedTo: begin.offset,
    elapsedMs: begin.at * 1_000,
    startedAt: startedAt === null ? null : startedAt * 1_000,
    finished: false,
  };
  const added = { ...recording, id: store.addRecording(recording) };
  if (added.startedAt !== null) store.addMark(added, added.startedAt + added.elapsedMs, begin.offset);
  return added;
}

function isChanged(before: IndexedRecording, after: IndexedRecording): boolean {
  const { typescript, timing, finished, head } = before;
  return (
    typescript !== after.typescript ||
    timing !== after.timing ||
    finished !== after.finished ||
    head.length !== after.head.length
  );
}
