import type { Changes, Patch } from '../../protocol/index.ts';
import { asPathspec, DIFF, forNames, RENAMES } from './compared-files.ts';
import type { DiffedFile } from './parse-diff.ts';
import { type GitContext, readGit } from './read-git.ts';

/** The maximum size of a patch in a response, which is about 40,000 lines. */
const MOST_PATCH_BYTES = 2 * 1024 * 1024;

export interface PatchNames {
  /** the file to compare, or null for all files */
  file: string | null;
  /** the file's name in the base, if that was different */
  oldFile: string | null;
}

export function namesIn({ file, oldFile }: PatchNames): string[] {
  return [file, oldFile].filter((name) => name !== null);
}

/**
 * Returns the patch of one file or of all files.
 * @param compared two trees, or one that is compared with the working tree; the index must then contain the untracked
 * files
 */
export async function readPatch(
  call: GitContext,
  compared: readonly string[],
  asked: PatchNames,
): Promise<Omit<Patch, 'base'>> {
  const names = namesIn(asked);
  const { stdout, isCut } = await readGit([...DIFF, RENAMES, '--patch', ...compared, '--', ...names.map(asPathspec)], {
    ...forNames(call, names),
    mostBytes: MOST_PATCH_BYTES,
  });
  const end = isCut ? stdout.lastIndexOf(0x0a) + 1 : stdout.length;
  return { patch: stdout.toString('utf8', 0, end), cut: isCut };
}

export function totalOf(files: readonly Pick<DiffedFile, 'added' | 'removed'>[]): Changes['total'] {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return { files: files.length, added: sum('added'), removed: sum('removed') };
}
