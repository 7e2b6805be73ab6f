import { dirname, join } from 'node:path';

/**
 * This program as it was called, with all it needs to run itself again. Everything that the code may read of the
 * process comes through it.
 */
export interface ThisProgram {
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
  userHome: string;
  /** absolute path of the Node that runs it */
  node: string;
  /** absolute path of the built cbos.js */
  program: string;
  /** how a person calls it: `cbos`, or its path in a checkout */
  calledAs: string;
  pid: number;
  version: string;
}

/** The page's files: the build puts them beside the program. */
export function webDirectory({ program }: ThisProgram): string {
  return join(dirname(program), 'web');
}

/** The program of the search worker: the build puts it beside the program. */
export function searchProgram({ program }: ThisProgram): string {
  return join(dirname(program), 'parts', 'search-worker.js');
}
