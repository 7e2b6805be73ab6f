import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Returns at most `most` entries of a directory, or none if the directory cannot be read. */
export async function readEntries(directory: string, most: number): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  if (most <= 0) return entries;
  try {
    for await (const entry of await opendir(directory)) {
      entries.push(entry);
      if (entries.length >= most) break;
    }
  } catch (cause) {
    // The path is missing, forbidden, not a directory, or not valid (it contains a NUL).
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
  }
  return entries;
}
