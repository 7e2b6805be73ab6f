import { randomBytes } from 'node:crypto';

/** Where the workers find the run's id. The runner's own processes carry it; only worlds carry the mark that is killed. */
export const RUN_VARIABLE = 'CBOS_TEST_RUN';

/** Short, because it becomes part of socket paths, which may have 107 bytes at most. */
export function newRunId(): string {
  return randomBytes(3).toString('hex');
}

/** The run this process belongs to; a new one where no runner named it (a script using the harness). */
export function currentRunId(): string {
  const run = process.env[RUN_VARIABLE] ?? newRunId();
  process.env[RUN_VARIABLE] = run;
  return run;
}
