import { CatalogueError } from './errors.ts';

/**
 * Returns the error for a file that is larger than a session's files may be.
 * @param most the maximum size in bytes, which is the server's `max_file_size`
 * @param sizeBytes the file's size; left out if the file is still arriving
 */
export function fileTooLarge(most: number, sizeBytes?: number, name = 'The file'): CatalogueError {
  const limit = most.toLocaleString('en');
  const message =
    sizeBytes === undefined
      ? `${name} has more than ${limit} bytes`
      : `${name} has ${sizeBytes.toLocaleString('en')} bytes, and the server accepts at most ${limit}`;
  return new CatalogueError('file_too_large', message);
}
