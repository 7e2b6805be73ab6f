import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * A test that fails now and then. It runs, and a failure of it does not fail the run. `test` is `FILE > SUITE > NAME`,
 * as the last lines of `npm test` print it, `since` the day (2026-11-28), and `why` what is known about the fault.
 * @typedef {{ test: string, since: string, why: string }} Row
 */

/** A test leaves the quarantine because it was mended, not because it was forgotten there. */
const MOST_ROWS = 5;
const MOST_DAYS = 7;
const DAY_MS = 86_400_000;

/** @returns {Row[]} */
export function readQuarantine() {
  return JSON.parse(readFileSync(join(ROOT, 'test', 'quarantine.json'), 'utf8'));
}

/**
 * Returns what is wrong with the quarantine.
 * @param {readonly Row[]} [rows] @param {Date} [now] @returns {string[]} one line per complaint
 */
export function quarantineComplaints(rows = readQuarantine(), now = new Date()) {
  const complaints = rows.flatMap(({ test, since, why }) => {
    const days = Math.floor((now.getTime() - Date.parse(since)) / DAY_MS);
    if (!test || !why || !(days >= 0))
      return [`${test || 'a row'} needs "test", "since" (a past day, 2026-11-28) and "why"`];
    return days > MOST_DAYS
      ? [`${test} has been in quarantine for ${days} days, the most is ${MOST_DAYS}: mend it`]
      : [];
  });
  return rows.length > MOST_ROWS
    ? [...complaints, `${rows.length} tests are in quarantine, the most is ${MOST_ROWS}: mend one`]
    : complaints;
}

/**
 * Returns the lines that name each test in quarantine, and what became of it.
 * @param {readonly Row[]} rows @param {readonly import('./run-file.mjs').Quarantined[]} ran @returns {string[]}
 */
export function quarantineLines(rows, ran) {
  return rows.map(({ test, since, why }) => {
    const result = ran.find((one) => one.test === test);
    const outcome =
      result === undefined ? 'did not run' : result.failure === null ? 'passed' : `failed: ${result.failure}`;
    return `quarantined: ${test} (since ${since}: ${why}): ${outcome}`;
  });
}
