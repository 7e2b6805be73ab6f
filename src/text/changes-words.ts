import type { ChangedFile, ChangeStatus, Changes, ChangesBase, Session } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import type { PatchRow } from './patch-rows.ts';
import { formatSize } from './recording-words.ts';
import type { StyleName } from './style.ts';

/** Says what the changes are compared with, and why. */
export function baseText({ kind, ref, commit }: ChangesBase): string {
  const name = shownName(ref ?? commit?.slice(0, 7) ?? '');
  switch (kind) {
    case 'asked':
      return `against ${name}`;
    case 'started_from':
      return `against ${name}, where the branch started`;
    case 'upstream':
      return `against ${name}, its upstream branch`;
    case 'default_branch':
      return `against ${name}, the default branch`;
    case 'last_commit':
      return 'against the last commit';
    case 'nothing':
      return 'against nothing: the repository has no commits yet';
    case 'turn':
      return `in turn ${name}`;
    default:
      return `against ${name}`;
  }
}

/** Returns the name of a file or branch, with invisible characters and line breaks shown as escapes. */
export function shownName(name: string): string {
  return showHiddenMarks(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Returns a file's name, in the form `old → new` if the file was renamed. */
export function changedName({ path, old_path: oldPath }: Pick<ChangedFile, 'path' | 'old_path'>): string {
  return oldPath === null ? shownName(path) : `${shownName(oldPath)} → ${shownName(path)}`;
}

const LETTERS: Readonly<Record<ChangeStatus, string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  copied: 'C',
  type_changed: 'T',
  conflicted: 'U',
};

/** Returns the letter that git uses for a status, or `?` for an untracked file, as in `git status`. */
export function changeLetter({ status, parts }: ChangedFile): string {
  return status === 'added' && parts.includes('untracked') ? '?' : (LETTERS[status] ?? status);
}

export function changeStyle({ status }: ChangedFile): StyleName {
  if (status === 'added' || status === 'copied') return 'green';
  if (status === 'deleted' || status === 'conflicted') return 'red';
  return 'yellow';
}

/** Returns a file's changed lines, such as `+12 −3`, or the kind of file if it has no lines. */
export function linesText(file: ChangedFile): string {
  const { added, removed, binary, kind } = file;
  if (kind === 'submodule') return 'submodule';
  if (kind === 'repository') return 'a separate repository';
  if (binary) return binaryText(file);
  return countsText({ added: added ?? 0, removed: removed ?? 0 });
}

/** Says what a file without lines is, with its sizes before and after, such as `image, 12 kB → 14 kB`. */
function binaryText({ sizes, image }: ChangedFile): string {
  const known = [sizes?.old, sizes?.new].filter((size) => size != null);
  const isLarge = known.length === 0 || known.some((size) => size > LARGEST_COMPARED);
  const what = image != null ? 'image' : isLarge ? 'binary or large' : 'binary';
  return [what, known.map(formatSize).join(' → ')].filter((part) => part !== '').join(', ');
}
/** git does not compare larger files line by line, even if they are text. */
const LARGEST_COMPARED = 8 * 1024 * 1024;

/** Replaces git's sentence about each binary file in a patch with what the file is and its sizes. */
export function tellBinaries(rows: readonly PatchRow[], files: readonly ChangedFile[]): readonly PatchRow[] {
  const told = new Map<string, string>(
    files.flatMap((file) => {
      if (!file.binary || file.sizes === undefined) return [];
      const before = file.sizes.old === null ? '/dev/null' : `a/${file.old_path ?? file.path}`;
      const after = file.sizes.new === null ? '/dev/null' : `b/${file.path}`;
      return [[`Binary files ${before} and ${after} differ`, linesText(file)] as const];
    }),
  );
  if (told.size === 0) return rows;
  return rows.map((row) => (row.kind === 'said' ? { ...row, text: told.get(row.text) ?? row.text } : row));
}

export function countsText({ added, removed }: { added: number; removed: number }): string {
  return `+${added} −${removed}`;
}

/** Returns a total such as `4 files, +6 −1`. */
export function totalText({ files, added, removed }: Changes['total']): string {
  if (files === 0) return 'no changes';
  return `${files === 1 ? '1 file' : `${files} files`}, ${countsText({ added, removed })}`;
}

/**
 * Returns a total such as `4 files, +6 −1`, or an empty string if the session has changed nothing or its changes are
 * unknown.
 */
export function changesFact({ changes }: Pick<Session, 'changes'>): string {
  return changes === undefined || changes.files === 0 ? '' : totalText(changes);
}

/**
 * Returns a shorter total such as `+6 −1`, for places with less room. If no lines were counted, it returns the number
 * of files.
 */
export function changedLines({ changes }: Pick<Session, 'changes'>): string {
  if (changes === undefined || changes.files === 0) return '';
  if (changes.added + changes.removed > 0) return countsText(changes);
  return changes.files === 1 ? '1 file' : `${changes.files} files`;
}

/** Returns lines that say which files were left out because a limit was exceeded. */
export function leftOutLines({ left_out: { files, untracked } }: Pick<Changes, 'left_out'>): string[] {
  return [
    ...(files === 0 ? [] : [`${files} more changed files are counted but not listed`]),
    ...(untracked === 0
      ? []
      : [`${untracked} more untracked files were not compared; consider listing them in .gitignore`]),
  ];
}
