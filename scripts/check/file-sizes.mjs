import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { sourceFiles } from './source-files.mjs';

/**
 * The maximum number of lines in a file. A longer file should be split up. Tests and style sheets may be longer.
 * @param {string} file
 */
const maxLines = (file) => (/^src\/.*\.tsx?$/.test(file) ? 300 : 500);

/**
 * Returns the source files that are too long.
 * @param {string} [root]
 * @returns {string[]} one line per file
 */
export function oversizedFiles(root = ROOT) {
  return sourceFiles(root)
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ file, lines }) => lines > maxLines(file))
    .map(
      ({ file, lines }) =>
        `${file} has ${lines} lines; ${maxLines(file)} is the limit: split it by what its parts are for`,
    );
}
