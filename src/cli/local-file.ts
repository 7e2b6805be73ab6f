import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { FileToUpload } from '../client/index.ts';
import { formatSize } from '../text/recording-words.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { UsageError } from './command-error.ts';

/**
 * Opens a file on this machine in order to send it to a session. If the file is still growing, as a log does, only its
 * current content is sent.
 * @throws CommandError if the path is not a file, or if the file is empty or cannot be read
 */
export async function openLocalFile(path: string, cwd: string): Promise<FileToUpload> {
  const absolute = resolve(cwd, path);
  const shown = cleanLine(path);
  const status = await stat(absolute).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${shown} cannot be read (${error.code})`, 'check the path');
  });
  if (!status.isFile()) throw new UsageError(`${shown} isn't a file`, 'give one file with each --file');
  if (status.size === 0) throw new UsageError(`${shown} is empty`, 'give a file that is not empty');
  return {
    name: basename(absolute),
    sizeBytes: status.size,
    read: () => createReadStream(absolute, { end: status.size - 1 }),
  };
}

/** Describes a file in one line, such as `shot.png (120 kB)`. */
export const fileText = ({ name, size }: { name: string; size: number }): string =>
  `${cleanLine(name)} (${formatSize(size)})`;
