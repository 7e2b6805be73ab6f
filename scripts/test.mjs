// npm test [-- FILTERS…] [--record]: runs the gate and all suites, or only the suites whose paths contain one of the
// filters. The last line is always `N passed, N failed`. The lines above it tell which files used the most, and what
// has grown since the figures were recorded; which tests failed, passed only on the second attempt, or are in
// quarantine. `--record` writes the figures of this run into test/figures.json.
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runGate } from './check/gate.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';
import { brokenSetUps, countTests, failures, firstLine, withSecondAttempt } from './test/count-tests.mjs';
import { dearest, differences, readRecord, withRun, writeRecord } from './test/figures.mjs';
import { quarantineLines, readQuarantine } from './test/quarantine.mjs';
import { retriedAgain } from './test/retries.mjs';
import { RUN_FILE } from './test/run-file.mjs';
import { versionsInUse } from './test/versions-in-use.mjs';

const REPORT = join(ROOT, 'build', 'test-report.json');
const SECOND_REPORT = join(ROOT, 'build', 'test-report-again.json');
const REPORTER = join(ROOT, 'test', 'harness', 'figures', 'reporter.ts');

const filters = process.argv.slice(2).filter((argument) => argument !== '--record');
const records = process.argv.includes('--record');

const env = process.env.CI === 'true' ? { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } : process.env;

const steps = await runGate((text) => process.stdout.write(text));

process.stdout.write(`\ntested with ${await versionsInUse(process.env)}\n`);

for (const file of [REPORT, SECOND_REPORT, RUN_FILE]) rmSync(file, { force: true });
const first = await runSuites(REPORT, [`--reporter=${REPORTER}`, ...filters]);
/** @type {import('./test/run-file.mjs').Run} */
const run = readJson(RUN_FILE) ?? { files: {}, retried: [], quarantined: [], errors: 0 };
const { report, exitCode } = await retrySetUps();
const record = readRecord();
if (records) writeRecord(withRun(record, run.files, new Date().toISOString().slice(0, 10)));
const tests = countTests(report, exitCode);
// A failure in quarantine is neither.
const passed =
  tests.passed - run.quarantined.filter(({ failure }) => failure !== null).length + steps.filter(({ ok }) => ok).length;
const failed = tests.failed + steps.filter(({ ok }) => !ok).length;
for (const line of [
  ...dearest(run.files),
  ...differences(record.files, run.files),
  ...failures(report, ROOT).map((failure) => `failed: ${failure}`),
  ...run.retried.map(({ test, failure }) => `retried: ${test}: ${failure}`),
  ...retriedAgain(run.retried.map(({ test }) => test)),
  ...quarantineLines(readQuarantine(), run.quarantined),
])
  process.stdout.write(`${line}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** @param {string} file where the report goes @param {readonly string[]} args */
async function runSuites(file, args) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await passThrough(tool('vitest'), ['run', ...reporters, ...args], env);
  return { report: readJson(file), exitCode: code };
}

/**
 * Runs the files whose set-up failed once more, because the runner retries only tests. As there, only suites with
 * programs or with a server in memory get a second attempt.
 */
async function retrySetUps() {
  const names = brokenSetUps(first.report).map(({ name }) => relative(ROOT, name));
  if (names.length === 0) return first;
  // The first attempt took less than the file takes.
  for (const name of names) delete run.files[name];
  process.stdout.write(`\nonce more, because their set-up failed: ${names.join(', ')}\n`);
  const second = await runSuites(SECOND_REPORT, ['--project=real', '--project=memory', ...names]);
  const { report, retried } = withSecondAttempt(first.report, second.report);
  run.retried.push(
    ...retried.map(({ name, message }) => ({ test: relative(ROOT, name), failure: firstLine(message) })),
  );
  return { report, exitCode: run.errors > 0 ? first.exitCode : second.exitCode };
}

/** Reads a report that vitest has written. Returns null if vitest ended before it wrote one. @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null; // A missing report of the tests themselves counts as a failure.
  }
}
