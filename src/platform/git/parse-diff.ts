import type { ChangedFile, ChangeStatus } from '../../protocol/index.ts';

/** A file that is listed in the output of `git diff --raw --no-abbrev --numstat -z`. */
export type DiffedFile = Omit<ChangedFile, 'parts'> & {
  /** what was compared; null where the file does not exist */
  sides: Readonly<Record<'old' | 'new', DiffedObject | null>>;
};

export interface DiffedObject {
  mode: string;
  /** the object's id; null if the content is that of the file in the working tree */
  id: string | null;
}

/** The status letters from git-diff(1). `X` and `B` do not occur in a plain comparison. */
const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  C: 'copied',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type_changed',
  U: 'conflicted',
};

/** The mode of a file that does not exist. */
const NONE = '000000';
export const LINK = '120000';
export const SUBMODULE = '160000';

/**
 * Parses the output of `git diff --raw --no-abbrev --numstat -z`, which contains first a record for each file and
 * then the counts in the same order. A file with a conflict may have two records and no counts.
 */
export function parseDiff(output: Buffer): DiffedFile[] {
  const words = output.toString('utf8').split('\0');
  const files = new Map<string, DiffedFile>();
  let at = 0;
  const next = (): string => words[at++] ?? '';
  while (at < words.length) {
    const word = next();
    if (word.startsWith(':')) {
      const [oldMode = '', mode = '', oldId = '', id = '', letter = ''] = word.slice(1).split(' ');
      const status = STATUSES[letter.charAt(0)] ?? 'modified';
      const oldPath = status === 'renamed' || status === 'copied' ? next() : null;
      const path = next();
      files.set(path, {
        path,
        old_path: oldPath,
        status,
        added: null,
        removed: null,
        binary: false,
        kind: kindOf(mode === NONE ? oldMode : mode),
        sides: { old: objectOf(oldMode, oldId), new: objectOf(mode, id) },
      });
      continue;
    }
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(word) ?? [];
    if (path === undefined) continue;
    if (path === '') next();
    const file = files.get(path === '' ? next() : path);
    if (file === undefined || file.kind === 'submodule') continue;
    file.binary = added === '-';
    file.added = added === '-' ? null : Number(added);
    file.removed = removed === '-' ? null : Number(removed);
  }
  return [...files.values()];
}

/** Returns what the API says about a file. */
export function toChanged({ sides: _, ...file }: DiffedFile): Omit<ChangedFile, 'parts'> {
  return file;
}

function objectOf(mode: string, id: string): DiffedObject | null {
  if (mode === NONE) return null;
  return { mode, id: /^0+$/.test(id) ? null : id };
}

export function kindOf(mode: string): 'file' | 'link' | 'submodule' {
  if (mode === LINK) return 'link';
  return mode === SUBMODULE ? 'submodule' : 'file';
}

/** Splits output in the `-z` format into names. They are bytes, because they need not be UTF-8. */
export function splitNames(output: Buffer): Buffer[] {
  const names: Buffer[] = [];
  let from = 0;
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, from)) {
    names.push(output.subarray(from, end));
    from = end + 1;
  }
  return names;
}
