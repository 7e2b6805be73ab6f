import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../root.mjs';

/** Everything that the bundle is made of. The lockfile stands for node_modules. */
const INPUTS = ['src', 'scripts/build', 'scripts/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

/** What the build makes and `bin` in package.json names. */
export const OUTPUT = join(ROOT, 'dist', 'cbos.js');

const MARKER = join(ROOT, 'build', 'fingerprint.txt');

/**
 * A hash over names and contents of all inputs: times would lie after a checkout.
 * @param {string} [root]
 * @returns {string}
 */
export function fingerprint(root = ROOT) {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap((input) => filesUnder(join(root, input)))) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Whether dist/cbos.js was built from these inputs.
 * @param {string} current
 */
export function isBuilt(current) {
  if (!existsSync(OUTPUT) || !existsSync(MARKER)) return false;
  return readFileSync(MARKER, 'utf8') === current;
}

/** @param {string} value */
export function rememberFingerprint(value) {
  mkdirSync(dirname(MARKER), { recursive: true });
  writeFileSync(MARKER, value);
}

/** @param {string} path @returns {string[]} sorted, so that the hash does not depend on the file system */
function filesUnder(path) {
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => (entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [path];
    throw error;
  }
}
