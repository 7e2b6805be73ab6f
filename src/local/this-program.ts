import { dirname, join } from 'node:path';

/**
 * This program as it was called: what it needs to run itself again. Everything of the process that may be read comes in
 * by it.
 */
export interface ThisProgram {
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
  userHome: string;
  /** Node, which runs it: an absolute path */
  node: string;
  /** the built cbos.js: an absolute path */
  program: string;
  /** how a person calls it: `cbos`, or in a checkout by its path */
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
