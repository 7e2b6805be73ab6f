import { CatalogueError } from '../../protocol/index.ts';

/** What it means that a program could not be started, where that can be expected; else the error as it was. */
export function startFault(error: NodeJS.ErrnoException): Error {
  return error.code === 'EAGAIN' ? new CatalogueError('process_limit', undefined, { cause: error }) : error;
}
