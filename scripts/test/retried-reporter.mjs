import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * The file that lists the tests that passed on the second attempt, as a JSON list of `NAME: MESSAGE OF THE FIRST
 * FAILURE`.
 */
export const RETRIED_FILE = join(ROOT, 'build', 'retried-tests.json');

/** A reporter for vitest that lists flaky tests, which would otherwise look reliable. */
export default class RetriedReporter {
  /** @type {string[]} */
  #retried = [];

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return;
    const name = `${test.module.relativeModuleId} > ${test.fullName}`;
    // Vitest keeps the errors from failed attempts.
    const message = test.result().errors?.[0]?.message.replaceAll(/\s+/g, ' ') ?? 'no error was kept';
    this.#retried.push(`${name}: ${message}`);
  }

  onTestRunEnd() {
    mkdirSync(dirname(RETRIED_FILE), { recursive: true });
    writeFileSync(RETRIED_FILE, JSON.stringify(this.#retried));
  }
}
