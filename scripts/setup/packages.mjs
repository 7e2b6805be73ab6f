import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { capture } from '../run-command.mjs';

/**
 * Reports whether node_modules contains the packages listed in package-lock.json. npm stores a lockfile of the
 * installed packages inside node_modules and writes it last, so an interrupted install counts as missing.
 * @param {string} [root]
 */
export function arePackagesInstalled(root = ROOT) {
  const wanted = lockedPackages(join(root, 'package-lock.json')) ?? {};
  const installed = lockedPackages(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true; // the project itself
    const found = installed[path];
    // Binaries for other platforms are optional and are not installed.
    return found === undefined ? optional === true : found.version === version;
  });
}

/**
 * Runs `npm ci`. Its output (engine warnings from packages that work anyway) is shown only if it fails.
 * @returns {Promise<import('../run-command.mjs').Outcome>}
 */
export function installPackages() {
  // NODE_ENV=production would omit the bundler. If the npm cache contains everything, this works offline.
  return capture('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund']);
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | null} null when there is no such file
 */
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
