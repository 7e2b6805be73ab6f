import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'scripts', 'bench', 'test'];
/** The last is where VitePress writes while it builds, which the gate does at the same time. */
const EXEMPT = /^(test\/fixtures|bench\/results|scripts\/docs\/\.vitepress\/\.temp)\//;
const SOURCE = /\.(ts|tsx|mjs|cjs|js|css)$/;

/**
 * @param {string} root @returns {string[]} the files that are written and read by humans, as paths relative to the root
 */
export function sourceFiles(root) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ).filter((name) => SOURCE.test(name) && !EXEMPT.test(name));
}
