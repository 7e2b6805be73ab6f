import { dirname, join } from 'node:path';

/**
 * This program and everything that is needed to run it again. It is the only way in which code may read the state of
 * the process.
 */
export interface ThisProgram {
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
  userHome: string;
  /** the absolute path of the Node executable that runs this program */
  node: string;
  /** the absolute path of the built cbos.js */
  program: string;
  /** the command by which the user runs this program: `cbos`, or its path in a checkout */
  calledAs: string;
  pid: number;
  version: string;
}

/** Returns the directory of the page's files, which the build puts next to the program. */
export function webDirectory({ program }: ThisProgram): string {
  return join(dirname(program), 'web');
}

/** Returns the directory of the documentation, which `npm run docs` puts next to the program. */
export function docsDirectory({ program }: ThisProgram): string {
  return join(dirname(program), 'docs');
}

/** Returns the path of the search worker, which the build puts next to the program. */
export function searchProgram({ program }: ThisProgram): string {
  return join(dirname(program), 'parts', 'search-worker.js');
}
