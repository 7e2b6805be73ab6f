import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.mjs';

/** The tests that each of the last runs of this checkout has retried, the latest run last. */
const HISTORY_FILE = join(ROOT, '.cache', 'retried-tests.json');
const MOST_RUNS = 10;

/**
 * Adds a run to the history, and returns the tests that more than one of the last ten runs has retried.
 * @param {readonly string[]} retried the names of the tests
 * @param {string} [file] the history
 * @returns {string[]} one line each
 */
export function retriedAgain(retried, file = HISTORY_FILE) {
  const runs = [...readHistory(file), [...new Set(retried)]].slice(-MOST_RUNS);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(runs)}\n`);
  const all = runs.flat();
  return [...new Set(retried)]
    .map((name) => ({ name, count: all.filter((one) => one === name).length }))
    .filter(({ count }) => count > 1)
    .map(
      ({ name, count }) =>
        `${name} was retried in ${count} of the last ${runs.length} runs: mend it, or put it in quarantine`,
    );
}

/** @param {string} file @returns {string[][]} */
function readHistory(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return []; // There was no run yet, or it was stopped while it wrote.
  }
}
