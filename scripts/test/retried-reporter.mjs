import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.mjs';

/** The names of the tests that passed at the second attempt, as a JSON list. */
export const RETRIED_FILE = join(ROOT, 'build', 'retried-tests.json');

/** A reporter for vitest that lists flaky tests, so that they do not look reliable. */
export default class RetriedReporter {
  /** @type {string[]} */
  #names = [];

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd() {
    mkdirSync(dirname(RETRIED_FILE), { recursive: true });
    writeFileSync(RETRIED_FILE, JSON.stringify(this.#names));
  }
}
