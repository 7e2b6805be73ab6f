import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { sourceFiles } from './source-files.mjs';

/** A longer file should be several files. */
const MAX_LINES = 500;

/**
 * Returns the source files that are too long.
 * @param {string} [root]
 * @returns {string[]} one line per file
 */
export function oversizedFiles(root = ROOT) {
  return sourceFiles(root)
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(
      ({ file, lines }) => `${file} has ${lines} lines; ${MAX_LINES} is the limit: split it by what its parts are for`,
    );
}
