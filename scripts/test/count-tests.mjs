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
  const brokenFiles = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const failed = failedTests + brokenFiles;
  return { passed, failed: failed === 0 && (exitCode !== 0 || report === null) ? 1 : failed };
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

/** @param {string | undefined} text */
function firstLine(text) {
  return text?.split('\n').find((line) => line.trim() !== '') ?? 'no message';
}
