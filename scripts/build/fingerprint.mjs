import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../root.mjs';

/** The inputs that all targets share. The lockfile stands for the contents of node_modules. */
const SURROUNDINGS = ['scripts/build', 'scripts/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

const DOCS_SCRIPTS = ['scripts/docs', 'scripts/docs.mjs'];

/**
 * The build targets, each with its inputs: the command line and server, the web page, and the documentation. A target
 * is built only if its own sources have changed.
 */
export const TARGETS = {
  program: { output: join(ROOT, 'dist', 'cbos.js'), inputs: ['src', ...SURROUNDINGS], leftOut: 'src/web' },
  page: {
    output: join(ROOT, 'dist', 'web', 'index.html'),
    inputs: ['src/web', 'src/client', 'src/emitter', 'src/protocol', 'src/text', ...SURROUNDINGS],
    leftOut: null,
  },
  docs: {
    output: join(ROOT, 'dist', 'docs', 'index.html'),
    inputs: [
      'docs',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'src/web/public',
      ...DOCS_SCRIPTS,
      ...SURROUNDINGS,
    ],
    leftOut: null,
  },
};

/**
 * The targets that CBOS needs in order to start. The documentation is not one of them: building it takes as long as
 * everything else combined, so only `npm run docs` and the gate do it.
 * @type {readonly Target[]}
 */
const NEEDED_AT_START = ['program', 'page'];

/** @typedef {keyof typeof TARGETS} Target */

/**
 * Computes a hash of the names and contents of all inputs and of the version of V8. Modification times are not
 * included, because they would be wrong after a checkout.
 * @param {Target} target
 * @param {string} [root]
 * @returns {string}
 */
export function fingerprint(target, root = ROOT) {
  const { inputs, leftOut } = TARGETS[target];
  const hash = createHash('sha256');
  // The compiled code works only with one version of V8.
  if (target === 'program') hash.update(process.versions.v8);
  for (const file of inputs.flatMap((input) => filesUnder(join(root, input)))) {
    const name = relative(root, file);
    if (leftOut !== null && name.startsWith(`${leftOut}/`)) continue;
    hash.update(name).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Reports whether a target was built from these inputs.
 * @param {Target} target
 * @param {string} current
 */
export function isBuilt(target, current) {
  const marker = markerOf(target);
  if (!existsSync(TARGETS[target].output) || !existsSync(marker)) return false;
  return readFileSync(marker, 'utf8') === current;
}

/** Reports whether all targets that CBOS needs in order to start are up to date with their sources. */
export function isAllBuilt() {
  return NEEDED_AT_START.every((target) => isBuilt(target, fingerprint(target)));
}

/** @param {Target} target @param {string} value */
export function rememberFingerprint(target, value) {
  const marker = markerOf(target);
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, value);
}

/** @param {Target} target */
function markerOf(target) {
  return join(ROOT, 'build', `${target}-fingerprint.txt`);
}

/**
 * @param {string} path @returns {string[]} sorted, so that the hash does not depend on the file system; empty if the
 *   path does not exist
 */
function filesUnder(path) {
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => (entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)]));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOTDIR') return [path];
    if (code === 'ENOENT') return [];
    throw error;
  }
}
