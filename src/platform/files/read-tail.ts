import { closeSync, existsSync, fstatSync, readSync } from 'node:fs';
import { openRegularFile, openRegularFileNow } from './regular-file.ts';

/**
 * Returns the end of a file as text, or an empty string if the file does not exist. The first character and the first
 * line may be cut off.
 * @param bytes the maximum number of bytes to read
 * @throws if the file cannot be read, or is not a regular file
 */
export async function readTail(path: string, bytes: number): Promise<string> {
  const file = await openRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Works like {@link readTail}, but synchronously, for commands; see {@link openRegularFileNow}.
 * @throws if the file cannot be read
 */
export function readTailNow(path: string, bytes: number): string {
  // Most of the files that are looked for do not exist, and creating an error takes longer than reading a file.
  const file = existsSync(path) ? openRegularFileNow(path) : null;
  if (file === null) return '';
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, size - buffer.length));
  } finally {
    closeSync(file);
  }
}
