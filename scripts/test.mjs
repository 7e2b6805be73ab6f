// npm test [-- FILTERS…]: runs the gate and all suites, or only the suites whose paths contain one of the filters. The
// last line is always `N passed, N failed`. The lines above it list the tests that failed, and those that passed only
// on the second attempt, each with the message of its first failure.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runGate } from './check/gate.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';
import { countTests, failures } from './test/count-tests.mjs';
import { RETRIED_FILE } from './test/retried-reporter.mjs';
import { versionsInUse } from './test/versions-in-use.mjs';

const REPORT = join(ROOT, 'build', 'test-report.json');
const RETRIED = join(ROOT, 'scripts', 'test', 'retried-reporter.mjs');

const env = process.env.CI === 'true' ? { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } : process.env;

const steps = await runGate((text) => process.stdout.write(text));

process.stdout.write(`\ntested with ${await versionsInUse(process.env)}\n`);

for (const file of [REPORT, RETRIED_FILE]) rmSync(file, { force: true });
const exitCode = await passThrough(
  tool('vitest'),
  [
    ...['run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`, `--reporter=${RETRIED}`],
    ...process.argv.slice(2),
  ],
  env,
);

const report = readJson(REPORT);
const tests = countTests(report, exitCode);
const passed = tests.passed + steps.filter(({ ok }) => ok).length;
const failed = tests.failed + steps.filter(({ ok }) => !ok).length;
for (const failure of failures(report, ROOT)) process.stdout.write(`failed: ${failure}\n`);
for (const name of readJson(RETRIED_FILE) ?? []) process.stdout.write(`retried: ${name}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Reads a report that vitest has written. Returns null if vitest ended before it wrote one. @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null; // A missing report of the tests themselves counts as a failure.
  }
}
