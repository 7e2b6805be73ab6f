import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/** Beyond this a file is several files. */
const MAX_LINES = 500;

const FOLDERS = ['src', 'scripts', 'bench', 'test'];
const EXEMPT = /^(test\/fixtures|bench\/results)\//;
const SOURCE = /\.(ts|tsx|mjs|cjs|js|css)$/;

/**
 * Source files that are too long.
 * @param {string} [root]
 * @returns {string[]} one line per file
 */
export function oversizedFiles(root = ROOT) {
  return FOLDERS.flatMap((folder) => sourceFiles(root, folder))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(
      ({ file, lines }) => `${file} has ${lines} lines; ${MAX_LINES} is the limit: split it by what its parts are for`,
    );
}

/** @param {string} root @param {string} folder @returns {string[]} paths relative to the root */
function sourceFiles(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => SOURCE.test(name) && !EXEMPT.test(name));
}
