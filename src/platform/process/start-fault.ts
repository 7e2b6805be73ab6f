import type { ChildProcess } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';

/** What it means that a program could not be started, where that can be expected; else the error as it was. */
export function startFault(error: NodeJS.ErrnoException): Error {
  return error.code === 'EAGAIN' ? new CatalogueError('process_limit', undefined, { cause: error }) : error;
}

/**
 * Where the server may open no further file Node makes no pipes to a program, and tells of the failure by an event
 * later, which ends the server where nobody listens (20.20).
 * @throws CatalogueError process_limit
 */
export function requirePipes(child: Partial<Pick<ChildProcess, 'stdout'>> & Pick<ChildProcess, 'once'>): void {
  if (child.stdout !== undefined) return;
  child.once('error', () => undefined);
  throw new CatalogueError('process_limit', 'No further file may be opened, and so no process started', {
    hint: 'Raise the limit (`ulimit -n`, LimitNOFILE of the service), or end what is not needed',
  });
}
