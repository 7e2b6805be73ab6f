import { dirname, join } from 'node:path';

/**
 * This program as it was started, with everything needed to run it again. All process state that the code may read
 * comes through this interface.
 */
export interface ThisProgram {
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
  userHome: string;
  /** absolute path of the Node executable that runs it */
  node: string;
  /** absolute path of the built cbos.js */
  program: string;
  /** the command that a user types: `cbos`, or its path in a checkout */
  calledAs: string;
  pid: number;
  version: string;
}

/** Returns the directory with the page's files, which the build puts next to the program. */
export function webDirectory({ program }: ThisProgram): string {
  return join(dirname(program), 'web');
}

/** Returns the directory with the documentation, which `npm run docs` puts next to the program. */
export function docsDirectory({ program }: ThisProgram): string {
  return join(dirname(program), 'docs');
}

/** Returns the search worker's program, which the build puts next to this program. */
export function searchProgram({ program }: ThisProgram): string {
  return join(dirname(program), 'parts', 'search-worker.js');
}
