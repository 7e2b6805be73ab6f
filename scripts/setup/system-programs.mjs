import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture } from '../run-command.mjs';
import { installFromBackports } from './backports.mjs';

/**
 * One of `programs` is sufficient, because distributions use different names for the same program.
 * @typedef {object} SystemProgram
 * @property {readonly string[]} programs
 * @property {string} name
 * @property {Record<string, string>} packages
 * @property {boolean} [inBackports] whether a Debian release may have it only in its backports
 * @typedef {{ command: string, install: readonly string[], refresh: readonly string[] | null }} PackageManager
 */

/** @type {SystemProgram} */
const SCREEN = {
  programs: ['screen'],
  name: 'GNU Screen',
  packages: { 'apt-get': 'screen', dnf: 'screen', pacman: 'screen', apk: 'screen' },
};

/**
 * dnf and apk can find a package by a command that it contains, no matter what the package is called in a given
 * release.
 * @type {SystemProgram}
 */
const SCRIPT = {
  programs: ['script'],
  name: "util-linux's script",
  packages: { 'apt-get': 'bsdutils', dnf: '/usr/bin/script', pacman: 'util-linux', apk: 'cmd:script' },
};

/**
 * The tests load the web page in Chromium. Fedora and Ubuntu call it chromium-browser. Chrome works as well.
 * @type {SystemProgram}
 */
const CHROMIUM = {
  programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  name: 'Chromium',
  packages: { 'apt-get': 'chromium', dnf: 'chromium', pacman: 'chromium', apk: 'chromium' },
};

/**
 * Chromium's engine without the browser around it: no toolbar, no profile, no notifications. It opens a page for half
 * the processor time. Only Debian's distributions package it as a program of its own.
 * @type {SystemProgram}
 */
const HEADLESS_SHELL = {
  programs: ['chromium-headless-shell'],
  name: "Chromium's headless shell",
  packages: { 'apt-get': 'chromium-headless-shell' },
};

/**
 * The tests also load the web page in Firefox. Debian has the extended support release, and other distributions have
 * the newest one.
 * @type {SystemProgram}
 */
const FIREFOX = {
  programs: ['firefox-esr', 'firefox'],
  name: 'Firefox',
  packages: { 'apt-get': 'firefox-esr', dnf: 'firefox', pacman: 'firefox', apk: 'firefox' },
};

/**
 * The tests run the terminal UI in tmux.
 * @type {SystemProgram}
 */
const TMUX = {
  programs: ['tmux'],
  name: 'tmux',
  packages: { 'apt-get': 'tmux', dnf: 'tmux', pacman: 'tmux', apk: 'tmux' },
};

/**
 * This program sets the clock, but only for the programs under test.
 * @type {SystemProgram}
 */
const FAKETIME = {
  programs: ['faketime'],
  name: 'libfaketime',
  packages: { 'apt-get': 'faketime', dnf: 'libfaketime', pacman: 'libfaketime', apk: 'libfaketime' },
};

/**
 * The machines in a fleet communicate through this server. Only the founder of a fleet needs it. @type {SystemProgram}
 */
const NATS_SERVER = {
  programs: ['nats-server'],
  name: 'nats-server',
  packages: { 'apt-get': 'nats-server', dnf: 'nats-server', pacman: 'nats-server', apk: 'nats-server' },
};

/**
 * `cbos fleet add` reaches other machines over ssh. The tests run a server of their own on loopback.
 * @type {SystemProgram}
 */
const SSHD = {
  programs: ['sshd'],
  name: "OpenSSH's server",
  packages: { 'apt-get': 'openssh-server', dnf: 'openssh-server', pacman: 'openssh', apk: 'openssh' },
};

/** Pull requests are opened through this program. @type {SystemProgram} */
const GH = {
  programs: ['gh'],
  name: "GitHub's gh",
  packages: { 'apt-get': 'gh', dnf: 'gh', pacman: 'github-cli', apk: 'github-cli' },
};

/** Merge requests are opened through this program. Debian 12 has it only in its backports. @type {SystemProgram} */
const GLAB = {
  programs: ['glab'],
  name: "GitLab's glab",
  packages: { 'apt-get': 'glab', dnf: 'glab', pacman: 'glab', apk: 'glab' },
  inBackports: true,
};

/**
 * Programs that some tests need. If a program is missing, these tests are skipped and reported as skipped. The programs
 * are installed if no password is needed for that.
 * @type {readonly SystemProgram[]}
 */
export const WANTED_FOR_TEST = [FAKETIME, FIREFOX, GH, GLAB, NATS_SERVER, SSHD];

/**
 * Programs that only save time: without them, the tests use other programs.
 * @type {readonly SystemProgram[]}
 */
export const FASTER_FOR_TEST = [HEADLESS_SHELL];

/**
 * The programs that each goal needs in addition to Node and npm.
 * @type {Readonly<Record<'start' | 'test', readonly SystemProgram[]>>}
 */
export const NEEDED_FOR = { start: [SCREEN, SCRIPT], test: [SCREEN, SCRIPT, TMUX, CHROMIUM] };

/**
 * The package managers, in the order in which they are tried.
 * @type {readonly PackageManager[]}
 */
const PACKAGE_MANAGERS = [
  { command: 'apt-get', install: ['install', '-y', '--no-install-recommends'], refresh: ['update'] },
  { command: 'dnf', install: ['install', '-y'], refresh: null },
  { command: 'pacman', install: ['-S', '--noconfirm', '--needed'], refresh: ['-Sy'] },
  { command: 'apk', install: ['add'], refresh: ['update'] },
];

/** @param {string} program @param {string | undefined} path the value of PATH */
export function isOnPath(program, path) {
  return findOnPath([program], path) !== null;
}

/**
 * Returns the path of the first of these programs that exists, or null if none exists.
 * @param {readonly string[]} programs @param {string | undefined} path the value of PATH
 */
export function findOnPath(programs, path) {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  const files = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  return files.find(isExecutable) ?? null;
}

/**
 * Returns the path of the Chromium in which the tests load the page: the one in `CHROMIUM`, or otherwise the system's.
 * @param {NodeJS.ProcessEnv} env
 */
export function findChromium(env) {
  return env.CHROMIUM ?? findOnPath(CHROMIUM.programs, env.PATH);
}

/**
 * Returns the path of Chromium's headless shell. Returns null if it is missing, or if `CHROMIUM` names the program in
 * which the tests load the page.
 * @param {NodeJS.ProcessEnv} env
 */
export function findHeadlessShell(env) {
  return env.CHROMIUM === undefined ? findOnPath(HEADLESS_SHELL.programs, env.PATH) : null;
}

/**
 * Returns the path of the Firefox in which the tests load the page: the one in `FIREFOX`, or otherwise the system's.
 * @param {NodeJS.ProcessEnv} env
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
    return false; // the next file may be executable
  }
}

/** @param {readonly SystemProgram[]} needed @param {string | undefined} path */
export function missingPrograms(needed, path) {
  return needed.filter(({ programs }) => findOnPath(programs, path) === null);
}

/**
 * Reports whether the system's package manager has a package with this program.
 * @param {SystemProgram} program @param {string | undefined} path
 */
export function isPackaged({ packages }, path) {
  const manager = PACKAGE_MANAGERS.find(({ command }) => isOnPath(command, path));
  return manager !== undefined && packages[manager.command] !== undefined;
}

/**
 * Installs programs with the system's package manager, if we are root or `sudo` does not ask for a password.
 * @param {readonly SystemProgram[]} missing
 * @param {{ path: string | undefined, isRoot: boolean, say: (line: string) => void }} surroundings
 * @returns {Promise<string | null>} null if the installation succeeded, otherwise the command that the user should run
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
  const install = [...manager.install, ...packages];
  let outcome = await run(install);
  if (!outcome.ok && manager.refresh !== null) {
    // Download the package lists first, because a fresh container has none.
    await run(manager.refresh);
    outcome = await run(install);
  }
  const mayBeInBackports = manager.command === 'apt-get' && missing.every(({ inBackports }) => inBackports === true);
  const isInstalled = outcome.ok || (mayBeInBackports && (await installFromBackports(install, run)));
  if (isInstalled && missingPrograms(missing, path).length === 0) return null;
  const reason = outcome.output.trim().split('\n').at(-1) ?? '';
  return `${names} could not be installed (${reason}): type "${typed}", then run this again`;
}

/** @param {string | undefined} path */
async function canSudo(path) {
  return isOnPath('sudo', path) && (await capture('sudo', ['-n', 'true'])).ok;
}
