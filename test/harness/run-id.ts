import { randomInt } from 'node:crypto';
import { startWatchdog } from './watchdog.ts';

/**
 * The variable in which the workers find the run's id. The runner's own processes carry the variable. Only worlds carry
 * the mark by which processes are killed.
 */
export const RUN_VARIABLE = 'CBOS_TEST_RUN';

const DIGITS = 36;
/** With this length, a world in /tmp has the same length as the path that replaces it in a recording (`neutral.ts`). */
const LENGTH = 6;

/**
 * Returns a new id of digits and small letters. It is short because it becomes part of socket paths, which may have at
 * most 107 bytes.
 */
export function newRunId(length = LENGTH): string {
  return randomInt(DIGITS ** length)
    .toString(DIGITS)
    .padStart(length, '0');
}

/**
 * Returns the run that this process belongs to. If no runner named one (for example in a benchmark, or in another
 * script that uses the harness), a new run is created, with its own watchdog.
 */
export function currentRunId(): string {
  const known = process.env[RUN_VARIABLE];
  if (known !== undefined) return known;
  const run = newRunId();
  process.env[RUN_VARIABLE] = run;
  void startWatchdog(run);
  return run;
}
