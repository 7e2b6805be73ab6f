import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/root.mjs';
import { passThrough } from '../../scripts/run-command.mjs';

/** Where the programs are installed. */
const FOLDER = join(ROOT, 'build', 'peers');

const CCMANAGER = '@kodaikabasawa/ccmanager-linux-x64';

/**
 * The programs that are compared with CBOS, from the npm registry, each in one version. tmux and Screen come from the
 * system. ttyd is not in Debian 12.
 */
const MANIFEST = {
  private: true,
  dependencies: {
    // The program itself. The package `ccmanager` only chooses between such packages.
    [CCMANAGER]: '4.4.3',
    wetty: '3.2.0',
  },
  // node-pty itself has to be compiled. This is the same code, compiled.
  overrides: { 'node-pty': 'npm:@lydell/node-pty@1.1.0' },
};

/** Installs the programs, without their install scripts. Does nothing if they are installed. */
export async function fetchPrograms() {
  const manifest = `${JSON.stringify(MANIFEST, null, 2)}\n`;
  const file = join(FOLDER, 'package.json');
  const isInstalled = existsSync(join(FOLDER, 'node_modules', '.package-lock.json'));
  if (isInstalled && readFileSync(file, 'utf8') === manifest) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, manifest);
  const args = ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if ((await passThrough('npm', args)) !== 0) throw new Error('npm could not install the programs to compare with');
}

/** @param {string} name @param {string} file @returns {{ path: string, version: string }} */
function installed(name, file) {
  const folder = join(FOLDER, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { path: join(folder, file), version };
}

/** Returns ccmanager's program; null on another processor, for which other packages exist. */
export const ccmanagerProgram = () => (process.arch === 'x64' ? installed(CCMANAGER, 'bin/ccmanager') : null);

/** Returns wetty's program; null without root, because wetty then runs no command, but connects through ssh. */
export const wettyProgram = () => (process.getuid?.() === 0 ? installed('wetty', 'build/main.js') : null);

/** The file from which packages of the programs are resolved. */
export const PROGRAMS_MANIFEST = join(FOLDER, 'package.json');
