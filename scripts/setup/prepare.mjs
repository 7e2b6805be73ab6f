import { join } from 'node:path';
import { isAllBuilt } from '../build/fingerprint.mjs';
import { ROOT } from '../root.mjs';
import { capture } from '../run-command.mjs';
import { arePackagesInstalled, installPackages } from './packages.mjs';
import {
  FASTER_FOR_TEST,
  installPrograms,
  isPackaged,
  missingPrograms,
  NEEDED_FOR,
  WANTED_FOR_TEST,
} from './system-programs.mjs';

/**
 * Prepares a checkout: installs npm packages and system programs, and builds CBOS. If nothing is missing, it does
 * nothing and does not use the network.
 * @param {'start' | 'test'} goal
 * @returns {Promise<0 | 1>} the exit code; errors have been printed to standard error
 */
export async function prepare(goal) {
  const instruction = await installMissing(NEEDED_FOR[goal]);
  if (instruction !== null) return complain(instruction);
  // Run both in parallel, because they mostly wait for the network and the disk.
  const [withoutWanted, failure] = await Promise.all([
    goal === 'test' ? installWanted() : [],
    installMissingPackages(),
  ]);
  for (const consequence of withoutWanted) say(consequence);
  if (failure !== null) return complain(failure);

  // The first step of `npm test` builds CBOS anyway.
  if (goal === 'start' && !isAllBuilt()) {
    say('building');
    const { ok, output } = await capture(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--bundle-only']);
    if (!ok) return complain(`${output.trimEnd()}\nthe build failed, see above`);
  }
  return 0;
}

/**
 * Installs the programs that some tests need or that save time, one after the other, because a package manager installs
 * nothing at all if it lacks one of the packages.
 * @returns {Promise<string[]>} what the missing ones mean for the tests, with the commands that the user should run
 */
async function installWanted() {
  const consequences = [];
  for (const program of WANTED_FOR_TEST) {
    const instruction = await installMissing([program]);
    if (instruction !== null) consequences.push(`some tests will be left out: ${instruction}`);
  }
  for (const program of FASTER_FOR_TEST.filter((program) => isPackaged(program, process.env.PATH))) {
    const instruction = await installMissing([program]);
    if (instruction !== null) consequences.push(`the tests will take longer: ${instruction}`);
  }
  return consequences;
}

/**
 * @param {readonly import('./system-programs.mjs').SystemProgram[]} wanted
 * @returns {Promise<string | null>} null if everything is installed, otherwise the command that the user should run
 */
async function installMissing(wanted) {
  const path = process.env.PATH;
  const missing = missingPrograms(wanted, path);
  return missing.length === 0 ? null : installPrograms(missing, { path, isRoot: process.getuid?.() === 0, say });
}

/** @returns {Promise<string | null>} null if the npm packages are installed, otherwise the reason why they are not */
async function installMissingPackages() {
  if (arePackagesInstalled()) return null;
  say('installing npm packages: npm ci (once, about half a minute)');
  const { ok, output } = await installPackages();
  return ok ? null : `${output.trimEnd()}\nnpm ci failed, see above: with the network up, run this again`;
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string} text @returns {1} */
function complain(text) {
  process.stderr.write(`${text}\n`);
  return 1;
}
