// npm test [-- FILTERS…]: the gate and every suite, or those whose path contains a filter. The last line is always
// `N passed, N failed`.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runGate } from './check/gate.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';
import { countTests } from './test/count-tests.mjs';
import { versionsInUse } from './test/versions-in-use.mjs';

const REPORT = join(ROOT, 'build', 'test-report.json');

const env = process.env.CI === 'true' ? { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } : process.env;

const steps = await runGate((text) => process.stdout.write(text));

process.stdout.write(`\ntested with ${await versionsInUse(process.env)}\n`);

rmSync(REPORT, { force: true });
const exitCode = await passThrough(
  tool('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`, ...process.argv.slice(2)],
  env,
);

const tests = countTests(readReport(), exitCode);
const passed = tests.passed + steps.filter(({ ok }) => ok).length;
const failed = tests.failed + steps.filter(({ ok }) => !ok).length;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** The report as vitest left it, null when it ended before writing one. */
function readReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'));
  } catch {
    return null; // counted as a failure
  }
}
