import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandError } from '../command-error.ts';

/** The file's mode. As with recordings, only the owner may see what sessions showed. */
const MODE = 0o600;

/**
 * Writes content that arrives in pieces to a new file. An existing file is kept, or replaced if `force` is set, but
 * only after everything has been written. If writing fails or is interrupted, the partial file is removed.
 * @throws CommandError if the file already exists or cannot be written
 */
export async function writeNewFile(request: {
  file: string;
  text: AsyncIterable<string>;
  force: boolean;
  cwd: string;
  /** aborted when the user presses Ctrl+C */
  signal: AbortSignal;
}): Promise<void> {
  const file = resolve(request.cwd, request.file);
  // The name is unpredictable, so nobody else can create a link with this name in advance.
  const written = request.force ? `${file}.${randomUUID()}.partial` : file;
  const handle = await openFile(written, request.file);
  try {
    try {
      for await (const piece of request.text) {
        request.signal.throwIfAborted();
        await handle.writeFile(piece);
      }
    } finally {
      await handle.close();
    }
    if (written !== file) await rename(written, file);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** @param name the file's name as the user typed it, for the error message */
async function openFile(path: string, name: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', MODE);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CommandError(`${name} already exists`, 'give another --output, or add --force to overwrite the file');
    throw new CommandError(`${name} cannot be written: ${message}`, 'give another --output');
  }
}
