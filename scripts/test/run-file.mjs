import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * What a file of tests used: seconds of wall time, seconds of processor time, and launches of Claude Code.
 * @typedef {{ wall: number, cpu: number, launches: number }} Figures
 *
 * What the reporter of a run writes (test/harness/figures/reporter.ts). `test` is `FILE > SUITE > NAME`. `failure` is
 * the first message of a test that passed only on the second attempt, or that failed in quarantine. `errors` counts the
 * errors outside of all files.
 * @typedef {{ test: string, failure: string }} Retried
 * @typedef {{ test: string, failure: string | null }} Quarantined
 * @typedef {{ files: Record<string, Figures>, retried: Retried[], quarantined: Quarantined[], errors: number }} Run
 */

/** The file in which a run of tests leaves what its last lines tell. */
export const RUN_FILE = join(ROOT, 'build', 'test-run.json');
