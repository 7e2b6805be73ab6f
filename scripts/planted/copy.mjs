import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tests of the list itself. They fail with any fault, because then its text is no longer in the source file. */
const OWN_TESTS = 'test/planted';

/**
 * Copies a checkout as it is now, with changes that are not committed. The copy is a git repository, because tests ask
 * git which files there are. It shares the installed packages, but not the caches next to them.
 * @param {string} root the checkout
 * @param {string} folder the copy, which must not exist yet
 */
export function copyCheckout(root, folder) {
  git(['clone', '--quiet', '--shared', '--no-checkout', root, folder], root);
  const listed = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root).split('\0');
  for (const name of new Set(listed)) {
    const from = join(root, name);
    // A file that was deleted but not committed is still listed.
    if (name === '' || lstatSync(from, { throwIfNoEntry: false }) === undefined) continue;
    cpSync(from, join(folder, name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  rmSync(join(folder, OWN_TESTS), { recursive: true, force: true });
  git(['add', '--all'], folder);
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '.bin' || !name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
}

/**
 * Plants a fault in a copy.
 * @param {string} folder
 * @param {import('./faults.mjs').Fault} fault
 * @returns {() => void} removes the fault
 */
export function plant(folder, { file, text, instead }) {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, withFault(before, { text, instead }));
  return () => writeFileSync(path, before);
}

/**
 * Returns a source file with a fault. @throws if the file does not contain the fault's text exactly once
 * @param {string} source
 * @param {Pick<import('./faults.mjs').Fault, 'text' | 'instead'>} fault
 */
export function withFault(source, { text, instead }) {
  const [before, after, ...more] = source.split(text);
  if (after === undefined || more.length > 0) throw new Error(`not exactly once in the file: ${text}`);
  return before + instead + after;
}

/** @param {readonly string[]} args @param {string} cwd @returns {string} */
function git(args, cwd) {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
