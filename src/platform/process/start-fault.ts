import type { ChildProcess } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';

/**
 * Returns the error to report when a program could not be started. If the cause is known, it becomes part of the error.
 * Any other error is returned unchanged.
 */
export function startFault(error: NodeJS.ErrnoException): Error {
  return error.code === 'EAGAIN' ? new CatalogueError('process_limit', undefined, { cause: error }) : error;
}

/**
 * Throws an error if Node did not create pipes to a program because the server may not open any more files. Node itself
 * reports this failure only later, in an `error` event, which ends the server if no one is listening for it (20.20).
 * @throws CatalogueError process_limit
 */
export function requirePipes(child: Partial<Pick<ChildProcess, 'stdout'>> & Pick<ChildProcess, 'once'>): void {
  if (child.stdout !== undefined) return;
  child.once('error', () => undefined);
  throw filesLimit();
}

/** Returns the error for a request that failed because CBOS may not open any more files. */
export function filesLimit(cause?: unknown): CatalogueError {
  return new CatalogueError('process_limit', 'The limit on open files has been reached', {
    hint: "Raise the limit (`ulimit -n`, LimitNOFILE of the service), or end processes that you don't need",
    cause,
  });
}

/** Reports whether an error means that this process (EMFILE) or the machine (ENFILE) has too many files open. */
export function isFilesLimit(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE' || isFilesLimit(error.cause);
}
