import { relative } from 'node:path';

/**
 * The part of vitest's JSON report (vitest 4, in jest's format) that is needed for counting tests.
 * @typedef {{ status: string, fullName: string, failureMessages: readonly string[] }} TestReport
 * @typedef {{ name: string, status: string, message: string, assertionResults: readonly TestReport[] }} FileReport
 * @typedef {{ testResults: readonly FileReport[] }} Report
 */

/**
 * Counts tests. Failures outside of tests are counted as well, so that passing tests can never hide them. Such a
 * failure is a file that cannot be loaded, an unhandled error (vitest exits with an error although no test has failed),
 * or a run without a report.
 * @param {Report | null} report
 * @param {number} exitCode the exit code of vitest
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(report, exitCode) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failedTests = tests.filter(({ status }) => status === 'failed').length;
  const failed = failedTests + brokenFiles(report).length;
  return { passed, failed: failed === 0 && (exitCode !== 0 || report === null) ? 1 : failed };
}

/**
 * Returns the files that failed without a failed test: their set-up failed, or they cannot be loaded.
 * @param {Report | null} report
 * @returns {FileReport[]}
 */
export function brokenFiles(report) {
  return (report?.testResults ?? []).filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
}

/**
 * Returns the broken files in which no test passed. After a set-up that worked, what failed is a tear-down: it may have
 * found a leak, which a second attempt would hide.
 * @param {Report | null} report
 */
export function brokenSetUps(report) {
  return brokenFiles(report).filter(
    ({ assertionResults }) => !assertionResults.some(({ status }) => status === 'passed'),
  );
}

/**
 * Replaces the files that were run once more.
 * @param {Report | null} report @param {Report | null} second the report of the second attempt
 * @returns {{ report: Report | null, retried: FileReport[] }} `retried`: the first results of those that then passed
 */
export function withSecondAttempt(report, second) {
  const again = new Map(second?.testResults.map((file) => [file.name, file]));
  const retried = report?.testResults.filter(({ name }) => again.get(name)?.status === 'passed') ?? [];
  return { report: report && { testResults: report.testResults.map((file) => again.get(file.name) ?? file) }, retried };
}

/**
 * Lists the failures: `FILE > TEST: MESSAGE` for a test, and `FILE: MESSAGE` for a file that could not be loaded.
 * @param {Report | null} report
 * @param {string} root the folder to which the names of files are relative
 * @returns {string[]}
 */
export function failures(report, root) {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
  });
}

/** Returns the first line that is not empty. @param {string | undefined} text */
export function firstLine(text) {
  return text?.split('\n').find((line) => line.trim() !== '') ?? 'no message';
}
