import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../root.mjs';
import { errorsPage } from './errors-page.mjs';

/**
 * @typedef {{ file: string, render: () => Promise<string> }} GeneratedFile
 */

/**
 * The files in the repository that are generated from the sources. Rendering reads the compiler's output under
 * build/, so `tsc -b` must run first.
 * @type {readonly GeneratedFile[]}
 */
export const GENERATED_FILES = [
  { file: 'docs/ERRORS.md', render: async () => errorsPage((await compiled('protocol/errors.js')).ERRORS) },
  {
    file: 'docs/openapi.json',
    render: async () => {
      const { openApiDocument } = await compiled('server/http/openapi.js');
      return `${JSON.stringify(openApiDocument(packageVersion()), null, 2)}\n`;
    },
  },
];

/** @returns {Promise<string[]>} one line per file that does not match its source */
export async function staleFiles() {
  const lines = [];
  for (const { file, render } of GENERATED_FILES) {
    const path = join(ROOT, file);
    const now = existsSync(path) ? readFileSync(path, 'utf8') : null;
    if (now !== (await render()))
      lines.push(`${file} ${now === null ? 'is missing' : 'is stale'}: run "npm run generate"`);
  }
  return lines;
}

function packageVersion() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}

/** @param {string} path under build/ @returns {Promise<any>} the module as the compiler wrote it */
function compiled(path) {
  return import(pathToFileURL(join(ROOT, 'build', path)).href);
}
