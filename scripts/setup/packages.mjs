import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { capture } from '../run-command.mjs';

/**
 * Reports whether node_modules contains the packages listed in package-lock.json. npm stores a lockfile of the
 * installed packages inside node_modules. It writes this file last, so the packages of an interrupted installation
 * count as missing.
 * @param {string} [root]
 */
export function arePackagesInstalled(root = ROOT) {
  const wanted = lockedPackages(join(root, 'package-lock.json')) ?? {};
  const installed = lockedPackages(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true; // the project itself
    const found = installed[path];
    // Ignore binaries for other platforms, which are optional and not installed.
    return found === undefined ? optional === true : found.version === version;
  });
}

/**
 * Runs `npm ci`. Its output, such as engine warnings about packages that work anyway, is shown only if it fails.
 * @returns {Promise<import('../run-command.mjs').Outcome>}
 */
export function installPackages() {
  // With NODE_ENV=production, the bundler would not be installed. If npm's cache contains all packages, this works
  // offline.
  return capture('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund']);
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | null} null if the file does not exist
 */
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
