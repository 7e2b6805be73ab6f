import type { ChildProcess } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';

/**
 * Returns the error to report when a program could not start. A known cause is named. Any other error is returned
 * unchanged.
 */
export function startFault(error: NodeJS.ErrnoException): Error {
  return error.code === 'EAGAIN' ? new CatalogueError('process_limit', undefined, { cause: error }) : error;
}

/**
 * Throws if Node made no pipes to a program because the server may not open any more files. Node reports this failure
 * later in an `error` event, which ends the server if nobody listens (20.20).
 * @throws CatalogueError process_limit
 */
export function requirePipes(child: Partial<Pick<ChildProcess, 'stdout'>> & Pick<ChildProcess, 'once'>): void {
  if (child.stdout !== undefined) return;
  child.once('error', () => undefined);
  throw new CatalogueError('process_limit', 'The limit of open files is reached, so no process can start', {
    hint: "Raise the limit (`ulimit -n`, LimitNOFILE of the service), or end processes that you don't need",
  });
}
