import type {
  ChangedFile,
  CheckpointAt,
  CheckpointChanges,
  CheckpointEntry,
  CheckpointFile,
  CheckpointMoment,
} from '../protocol/index.ts';
import { inConfigFile, settingKey } from '../protocol/index.ts';
import { shownName } from './changes-words.ts';
import { formatDateTime } from './durations.ts';
import { formatSize } from './recording-words.ts';

/** Says which state of the files a checkpoint has, such as `as turn 3 left them`. */
export function stateText({ turn, state }: Pick<CheckpointMoment, 'turn' | 'state'>): string {
  return state === 'begin' ? `as they were before turn ${turn}` : `as turn ${turn} left them`;
}

/** Says which files belong to a moment, and what is not known about them. */
export function checkpointLines(at: CheckpointAt): string[] {
  switch (at.kind) {
    case 'none':
      return [
        `No files of this session are saved. CBOS saves them at each turn with ${inConfigFile('turn_checkpoints', true)}.`,
      ];
    case 'too_early':
      return [
        `No files of this moment are kept. The oldest are ${stateText(at.oldest)}, ${formatDateTime(at.oldest.at)}; ${settingKey('turns_kept')} limits how many turns are kept.`,
      ];
    case 'found': {
      const { checkpoint, missing } = at;
      const turns =
        missing?.from === missing?.to ? `turn ${missing?.from}` : `turns ${missing?.from} to ${missing?.to}`;
      return [
        `The files ${stateText(checkpoint)}, ${formatDateTime(checkpoint.at)}`,
        ...(missing === null ? [] : [`No files of ${turns} are kept, so some files may have been different.`]),
      ];
    }
  }
}

/** Says what is compared with what, such as `2 changed since turn 3 began`. */
export function sinceText({ since, total }: Pick<CheckpointChanges, 'since' | 'total'>): string {
  if (since === null) return 'the oldest checkpoint: nothing to compare with';
  const when = since.state === 'begin' ? 'began' : 'ended';
  return `${total.files === 0 ? 'nothing' : total.files} changed since turn ${since.turn} ${when}`;
}

/** Says what an entry is, if it is not a file whose content can be shown; null if it is. */
export function contentText(file: CheckpointFile): string | null {
  const name = shownName(file.path);
  if (file.kind === 'repository') return `${name} is another repository, such as a submodule. Its files are not saved.`;
  if (!file.saved) return `${name} is not saved: it was too large, or could not be read.`;
  if (file.kind === 'link') return `${name} is a symbolic link to ${shownName(file.content ?? '')}`;
  if (file.encoding === 'base64') return `${name} is a binary file of ${formatSize(file.size ?? 0)}.`;
  return file.content === '' ? `${name} is empty.` : null;
}

/** Returns the lines of a text. A line feed at its end does not begin another line. */
export function fileLines(content: string): string[] {
  return content.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Returns the name of an entry of a folder. The name of a folder ends with a slash. */
export function entryName({ name, kind }: Pick<CheckpointEntry, 'name' | 'kind'>): string {
  return `${shownName(name)}${kind === 'folder' ? '/' : ''}`;
}

/** Says what an entry of a folder is, briefly: its size, or why it has none. What was deleted has no size. */
export function entryText({ kind, size, saved, deleted }: MarkedEntry): string {
  if (deleted) return '';
  if (kind === 'repository') return 'repository';
  if (kind === 'link') return 'link';
  if (kind === 'folder') return '';
  return saved && size !== null ? formatSize(size) : 'not saved';
}

/** The changes between two checkpoints, arranged for a tree of files. */
export interface Marks {
  files: ReadonlyMap<string, ChangedFile>;
  /** how many files below each folder changed */
  folders: ReadonlyMap<string, number>;
}

export function marksOf(changed: readonly ChangedFile[]): Marks {
  const folders = new Map<string, number>();
  for (const { path } of changed) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      folders.set(folder, (folders.get(folder) ?? 0) + 1);
    }
  }
  return { files: new Map(changed.map((file) => [file.path, file])), folders };
}

/** An entry of a folder, or a file or folder that was there at the checkpoint before and then deleted. */
export interface MarkedEntry extends CheckpointEntry {
  path: string;
  change: ChangedFile | null;
  /** how many files below a folder changed */
  changes: number;
  deleted: boolean;
}

/** Says what an entry is, as `entryText` does, and how many files below a folder changed. */
export function markedText(entry: MarkedEntry): string {
  return entry.changes > 0 && entry.kind === 'folder' ? `${entry.changes} changed` : entryText(entry);
}

/** Returns a folder's entries with what changed, followed by what was deleted from the folder. */
export function markedEntries(folder: string, entries: readonly CheckpointEntry[], marks: Marks): MarkedEntry[] {
  const start = folder === '' ? '' : `${folder}/`;
  const known = new Set(entries.map(({ name }) => name));
  const gone = new Map<string, CheckpointEntry['kind']>();
  if (folder === '' || marks.folders.has(folder)) {
    for (const { path, status } of marks.files.values()) {
      if (status !== 'deleted' || !path.startsWith(start)) continue;
      const [name = '', ...below] = path.slice(start.length).split('/');
      if (!known.has(name)) gone.set(name, below.length > 0 ? 'folder' : 'file');
    }
  }
  const marked = (entry: CheckpointEntry, deleted: boolean): MarkedEntry => {
    const path = `${start}${entry.name}`;
    return { ...entry, path, deleted, change: marks.files.get(path) ?? null, changes: marks.folders.get(path) ?? 0 };
  };
  return [
    ...entries.map((entry) => marked(entry, false)),
    ...[...gone].map(([name, kind]) => marked({ name, kind, mode: null, size: null, saved: false }, true)),
  ];
}
