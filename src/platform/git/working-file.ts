import { constants, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CatalogueError, type ImageType, MOST_CONTENT_BYTES } from '../../protocol/index.ts';
import { openRegularFile } from '../files/regular-file.ts';
import { LOST_BYTES } from './compared-files.ts';
import { contentOf, imageType, type SizedContent } from './file-content.ts';

/** How many attempts to make if a file changes while it is being read, as for a checkpoint. */
const TRIES = 3;
/** How many bytes identify an image. */
const HEAD_BYTES = 12;

/**
 * Reads a file of a working tree, as much of it as an answer may contain. For a symbolic link, reads its target as
 * text. Returns null if there is no such file.
 * @throws CatalogueError git_failed if the file keeps changing
 */
export function readWorkingFile(
  root: string,
  path: string,
  { isLink }: { isLink: boolean },
): Promise<SizedContent | null> {
  return inFolder(root, path, async (at) => {
    if (isLink) {
      const target = await promises.readlink(at, 'buffer').catch(orNull);
      return target && { size: target.length, ...contentOf(target, { isCut: false, isLink }) };
    }
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const file = await openRegularFile(at, { followsLinks: false }).catch(orNull);
      if (file === null) return null;
      try {
        const read = await readUnchanged(file);
        if (read !== null) return { size: read.size, ...contentOf(read.bytes, { ...read, isLink }) };
      } finally {
        await file.close();
      }
    }
    throw new CatalogueError('git_failed', `${JSON.stringify(path)} kept changing while CBOS was reading it`, {
      hint: 'Read the file again when nothing is writing to it',
    });
  });
}

/**
 * Returns the size of a file or a link in a working tree, and the type of image that it is; null if there is no such
 * file.
 */
export function measureWorkingFile(
  root: string,
  path: string,
): Promise<{ size: number; image: ImageType | null } | null> {
  return inFolder(root, path, async (at) => {
    const file = await openRegularFile(at, { followsLinks: false }).catch(orNull);
    if (file === null) {
      const target = await promises.readlink(at, 'buffer').catch(orNull);
      return target && { size: target.length, image: null };
    }
    try {
      const { size } = await file.stat();
      return { size, image: imageType(await readStart(file, HEAD_BYTES)) };
    } finally {
      await file.close();
    }
  });
}

/**
 * Opens the folder of a file, and makes sure that the folder is where its path says. If a part of the path is a
 * symbolic link, even one that was created a moment ago, nothing is read.
 * @param read gets a path that leads through the open folder
 */
async function inFolder<T>(root: string, path: string, read: (at: Buffer) => Promise<T | null>): Promise<T | null> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  let folder: Buffer = await promises.realpath(root, 'buffer');
  for (const one of names) folder = join(folder, await realName(folder, one));
  const open = await promises.open(folder, constants.O_RDONLY | constants.O_DIRECTORY).catch(orNull);
  if (open === null) return null;
  try {
    const place = Buffer.from(`/proc/self/fd/${open.fd}`);
    if (!(await promises.readlink(place, 'buffer')).equals(folder)) return null;
    return await read(join(place, await realName(folder, name)));
  } finally {
    await open.close();
  }
}

const join = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from('/'), name]);

/** Returns the bytes of a name. In a name that is not UTF-8, U+FFFD stands for the other bytes. */
async function realName(folder: Buffer, name: string): Promise<Buffer> {
  const names = name.includes(LOST_BYTES) ? await promises.readdir(folder, 'buffer').catch(orNull) : null;
  return names?.find((one) => one.toString('utf8') === name) ?? Buffer.from(name);
}

/** Reads the start of a file; null if the file changed in the meantime. */
async function readUnchanged(file: FileHandle): Promise<{ bytes: Buffer; size: number; isCut: boolean } | null> {
  const before = await file.stat({ bigint: true });
  const bytes = await readStart(file, Math.min(Number(before.size), MOST_CONTENT_BYTES));
  const after = await file.stat({ bigint: true });
  const isSame = before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs;
  const size = Number(before.size);
  return isSame ? { bytes, size, isCut: size > MOST_CONTENT_BYTES } : null;
}

async function readStart(file: FileHandle, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await file.read(bytes, length, most - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** A file may disappear or be replaced at any moment, or may be unreadable. */
function orNull(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'EINVAL', 'ELOOP', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
  throw error;
}
