// npm run again -- FILE [TIMES] [OPTIONS OF VITEST…]: runs a file of tests 20 times, or TIMES, without retries, while
// two threads keep two cores busy. Tells which tests failed, and in how many runs, also those in quarantine. What fails
// here fails one day in `npm test`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './root.mjs';
import { capture, PLAIN, tool } from './run-command.mjs';
import { keepBusy } from './test/busy-cores.mjs';
import { failures } from './test/count-tests.mjs';

const TIMES = 20;
const BUSY_CORES = 2;

const [file, ...rest] = process.argv.slice(2);
const times = /^\d+$/.test(rest[0] ?? '') ? Number(rest.shift()) : TIMES;
if (file === undefined || times === 0) {
  process.stderr.write('usage: npm run again -- FILE [TIMES] [OPTIONS OF VITEST…]\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'again-'));
const report = join(folder, 'report.json');
/** @type {Map<string, number>} in how many runs each test failed, or the run without a test to blame */
const failed = new Map();
let failedRuns = 0;

const stop = keepBusy(BUSY_CORES);
for (let run = 1; run <= times; run++) {
  const started = performance.now();
  rmSync(report, { force: true });
  const args = [
    'run',
    file,
    '--retry=0',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...rest,
  ];
  const { ok, output } = await capture(tool('vitest'), args, { ...PLAIN, CBOS_QUARANTINE: 'off' });
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} run ${run} of ${times} (${seconds} s)\n${ok ? '' : output}`);
  if (ok) continue;
  failedRuns++;
  const names = failures(readReport(), ROOT).map((line) => line.slice(0, line.indexOf(': ')));
  for (const name of new Set(names.length === 0 ? ['no test, see its output above'] : names))
    failed.set(name, (failed.get(name) ?? 0) + 1);
}
await stop();
rmSync(folder, { recursive: true });

for (const [name, count] of failed) process.stdout.write(`failed in ${count} of ${times} runs: ${name}\n`);
process.stdout.write(`${failedRuns} of ${times} runs failed\n`);
process.exitCode = failedRuns === 0 ? 0 : 1;

/** Returns null if vitest ended before it wrote a report. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return null;
  }
}
