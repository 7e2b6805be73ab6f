import { randomBytes } from 'node:crypto';
import { startWatchdog } from './watchdog.ts';

/**
 * Where the workers find the run's id. The runner's own processes carry it; only worlds carry the mark that is killed.
 */
export const RUN_VARIABLE = 'CBOS_TEST_RUN';

/** Short, because it becomes part of socket paths, which may have 107 bytes at most. */
export function newRunId(): string {
  return randomBytes(3).toString('hex');
}

/**
 * The run this process belongs to; where no runner named it (a bench, or another script that uses the harness), a new
 * one with its own watchdog.
 */
export function currentRunId(): string {
  const known = process.env[RUN_VARIABLE];
  if (known !== undefined) return known;
  const run = newRunId();
  process.env[RUN_VARIABLE] = run;
  void startWatchdog(run);
  return run;
}
