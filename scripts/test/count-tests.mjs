/**
 * The part of vitest's JSON report (vitest 4, jest's format) that counts.
 * @typedef {{ status: string, assertionResults: readonly { status: string }[] }} FileReport
 * @typedef {{ testResults: readonly FileReport[] }} Report
 */

/**
 * Counts tests. What fails outside a test counts too, so that it can never hide behind a row of passed tests: a file
 * that does not load, an unhandled error (vitest ends with an error although no test failed), a run that left no
 * report.
 * @param {Report | null} report
 * @param {number} exitCode vitest's
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
