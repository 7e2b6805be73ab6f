import { type ChangedFile, type ImageType, MOST_CONTENT_BYTES } from '../../protocol/index.ts';
import { imageType, sizesOf } from './file-content.ts';
import type { DiffedFile } from './parse-diff.ts';
import { type GitContext, readGit } from './read-git.ts';
import { measureWorkingFile } from './working-file.ts';

/** How many binary files are measured. No one reads the sizes of more. */
const MOST_MEASURED = 200;
/** How many bytes of objects are read to recognize images. */
const MOST_READ_BYTES = 8 * 1024 * 1024;

type Measured = Required<Pick<ChangedFile, 'sizes' | 'image'>>;

/**
 * Returns the sizes of binary files, and which of them are images, by their paths. Without binary files, nothing is
 * read and no process is started.
 * @param place.root the working tree that has the new sides; null if both sides are objects
 */
export async function measureBinaries(
  files: readonly DiffedFile[],
  { call, root }: { call: GitContext; root: string | null },
): Promise<ReadonlyMap<string, Measured>> {
  const binary = files.filter((file) => file.binary).slice(0, MOST_MEASURED);
  const idOf = ({ sides }: DiffedFile, side: 'old' | 'new'): string =>
    side === 'new' && root !== null ? '' : (sides[side]?.id ?? '');
  const ids = binary.flatMap((file) => [idOf(file, 'old'), idOf(file, 'new')]).filter((id) => id !== '');
  const sizes = await sizesOf(call, ids);
  const latestOf = (file: DiffedFile): string => idOf(file, file.sides.new === null ? 'old' : 'new');
  const images = await imagesAmong(call, sizes, new Set(binary.map(latestOf)));
  const measured = new Map<string, Measured>();
  for (const file of binary) {
    const isInTree = root !== null && file.sides.new !== null;
    const now = isInTree ? await measureWorkingFile(root, file.path) : null;
    const size = isInTree ? now?.size : sizes.get(idOf(file, 'new'));
    measured.set(file.path, {
      sizes: { old: sizes.get(idOf(file, 'old')) ?? null, new: size ?? null },
      image: (isInTree ? now?.image : images.get(latestOf(file))) ?? null,
    });
  }
  return measured;
}

/** Recognizes the images among objects, the smallest first, as far as they can be read quickly. */
async function imagesAmong(
  call: GitContext,
  sizes: ReadonlyMap<string, number>,
  wanted: ReadonlySet<string>,
): Promise<Map<string, ImageType | null>> {
  const small = [...sizes]
    .filter(([id, size]) => wanted.has(id) && size <= MOST_CONTENT_BYTES)
    .sort(([, one], [, other]) => one - other);
  if (small.length === 0) return new Map();
  const input = Buffer.from(small.map(([id]) => `${id}\n`).join(''));
  const { stdout } = await readGit(['cat-file', '--batch=%(objectname)'], {
    ...call,
    input,
    mostBytes: MOST_READ_BYTES,
  });
  const images = new Map<string, ImageType | null>();
  let at = 0;
  for (const [id, size] of small) {
    const from = at + id.length + 1;
    if (from >= stdout.length) break;
    images.set(id, imageType(stdout.subarray(from, from + size)));
    at = from + size + 1;
  }
  return images;
}
