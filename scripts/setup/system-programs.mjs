import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture } from '../run-command.mjs';

/**
 * One of `programs` is enough: distributions call the same thing by different names.
 * @typedef {{ programs: readonly string[], name: string, packages: Record<string, string> }} SystemProgram
 * @typedef {{ command: string, install: readonly string[], refresh: readonly string[] | null }} PackageManager
 */

/** @type {SystemProgram} */
const SCREEN = {
  programs: ['screen'],
  name: 'GNU Screen',
  packages: { 'apt-get': 'screen', dnf: 'screen', pacman: 'screen', apk: 'screen' },
};

/**
 * dnf and apk find packages by the command they bring, whatever the release calls the package. @type {SystemProgram}
 */
const SCRIPT = {
  programs: ['script'],
  name: "util-linux's script",
  packages: { 'apt-get': 'bsdutils', dnf: '/usr/bin/script', pacman: 'util-linux', apk: 'cmd:script' },
};

/**
 * The tests look at the web page in it. Fedora and Ubuntu call it chromium-browser; Chrome itself does as well. @type
 * {SystemProgram}
 */
const CHROMIUM = {
  programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  name: 'Chromium',
  packages: { 'apt-get': 'chromium', dnf: 'chromium', pacman: 'chromium', apk: 'chromium' },
};

/**
 * The tests look at the web page in it as well. Debian has the one that is kept for a year, others the newest. @type
 * {SystemProgram}
 */
const FIREFOX = {
  programs: ['firefox-esr', 'firefox'],
  name: 'Firefox',
  packages: { 'apt-get': 'firefox-esr', dnf: 'firefox', pacman: 'firefox', apk: 'firefox' },
};

/** Sets the clock of the programs under test, and of nothing else. @type {SystemProgram} */
const FAKETIME = {
  programs: ['faketime'],
  name: 'libfaketime',
  packages: { 'apt-get': 'faketime', dnf: 'libfaketime', pacman: 'libfaketime', apk: 'libfaketime' },
};

/**
 * Without these some tests are left out, and say so: they are installed where that asks nothing. @type {readonly
 * SystemProgram[]}
 */
export const WANTED_FOR_TEST = [FAKETIME, FIREFOX];

/**
 * What is needed beyond Node and npm, per goal. @type {Readonly<Record<'start' | 'test', readonly SystemProgram[]>>}
 */
export const NEEDED_FOR = { start: [SCREEN, SCRIPT], test: [SCREEN, SCRIPT, CHROMIUM] };

/** In the order they are looked for. @type {readonly PackageManager[]} */
const PACKAGE_MANAGERS = [
  { command: 'apt-get', install: ['install', '-y', '--no-install-recommends'], refresh: ['update'] },
  { command: 'dnf', install: ['install', '-y'], refresh: null },
  { command: 'pacman', install: ['-S', '--noconfirm', '--needed'], refresh: ['-Sy'] },
  { command: 'apk', install: ['add'], refresh: ['update'] },
];

/** @param {string} program @param {string | undefined} path value of PATH */
export function isOnPath(program, path) {
  return findOnPath([program], path) !== null;
}

/**
 * The file of the first of these programs that is there; null when none is.
 * @param {readonly string[]} programs @param {string | undefined} path value of PATH
 */
export function findOnPath(programs, path) {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  const files = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  return files.find(isExecutable) ?? null;
}

/**
 * The Chromium that tests look at the page in: the one that `CHROMIUM` names, else the system's. @param
 * {NodeJS.ProcessEnv} env
 */
export function findChromium(env) {
  return env.CHROMIUM ?? findOnPath(CHROMIUM.programs, env.PATH);
}

/**
 * The Firefox that tests look at the page in: the one that `FIREFOX` names, else the system's. @param
 * {NodeJS.ProcessEnv} env
 */
export function findFirefox(env) {
  return env.FIREFOX ?? findOnPath(FIREFOX.programs, env.PATH);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // the next one may be
  }
}

/** @param {readonly SystemProgram[]} needed @param {string | undefined} path */
export function missingPrograms(needed, path) {
  return needed.filter(({ programs }) => findOnPath(programs, path) === null);
}

/**
 * Installs programs with the system's package manager when we are root or `sudo` asks nothing.
 * @param {readonly SystemProgram[]} missing
 * @param {{ path: string | undefined, isRoot: boolean, say: (line: string) => void }} surroundings
 * @returns {Promise<string | null>} null when done, otherwise the line that tells the person what to type
 */
export async function installPrograms(missing, { path, isRoot, say }) {
  const names = missing.map(({ name }) => name).join(' and ');
  const manager = PACKAGE_MANAGERS.find(({ command }) => isOnPath(command, path));
  if (manager === undefined)
    return `CBOS needs ${names}: install ${names} with your system's package manager, then run this again`;

  const packages = missing.map(({ packages }) => packages[manager.command] ?? '');
  const sudo = isRoot ? [] : ['sudo'];
  const typed = `${[...sudo, manager.command, ...manager.install, ...packages].join(' ')}`;
  if (!isRoot && !(await canSudo(path))) return `CBOS needs ${names}: type "${typed}", then run this again`;

  say(`installing ${names}: ${typed}`);
  /** @param {readonly string[]} args */
  const run = (args) => {
    const [command = '', ...rest] = isRoot ? [manager.command, ...args] : ['sudo', '-n', manager.command, ...args];
    return capture(command, rest, { ...process.env, DEBIAN_FRONTEND: 'noninteractive' });
  };
  let outcome = await run([...manager.install, ...packages]);
  if (!outcome.ok && manager.refresh !== null) {
    // a fresh container has no package lists yet
    await run(manager.refresh);
    outcome = await run([...manager.install, ...packages]);
  }
  if (outcome.ok && missingPrograms(missing, path).length === 0) return null;
  const reason = outcome.output.trim().split('\n').at(-1) ?? '';
  return `${names} could not be installed (${reason}): type "${typed}", then run this again`;
}

/** @param {string | undefined} path */
async function canSudo(path) {
  return isOnPath('sudo', path) && (await capture('sudo', ['-n', 'true'])).ok;
}
