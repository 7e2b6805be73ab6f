import { loadavg } from 'node:os';
import { expect, test } from 'vitest';
import { hasNatsServer } from '../harness/fleet.ts';
import { seedOf } from '../torture/random.ts';
import { countOf, LEAST_PART, runFleetTorture } from './run.ts';

/**
 * `npm test` runs some operations, `npm run torture-fleet` 2,000 on each kind of NATS server. The servers are those
 * that users run, and the sessions outlive them.
 */
const OPERATIONS = Number(process.env.FLEET_OPS ?? 40);
const SEED = seedOf(process.env, 55);
const TIMEOUT_MS = 3_600_000;

test.skipIf(!hasNatsServer).each([
  ['the NATS server of the founder', 1],
  ['a cluster of three NATS servers', 3],
])(
  'nothing is lost, doubled or done elsewhere, and no row is older than its age, while owners and %s are killed',
  async (on, nodes) => {
    const run = await runFleetTorture({ seed: SEED, operations: OPERATIONS, nodes });
    const all = [...run.sent, ...run.answers];
    const told = `${countOf(all, 'done')} done, ${countOf(all, 'refused')} refused, ${countOf(all, 'unknown')} not known`;
    process.stdout.write(
      `FLEET_OPS=${OPERATIONS} TORTURE_SEED=${SEED} on ${on}: ${told}, ${run.looks} rows compared, ${run.kills} owners killed, ` +
        `${Math.round(run.tookMs / 1_000)} s, load ${loadavg()[0]?.toFixed(1)}; ` +
        `${JSON.stringify({ caused: run.caused, codes: run.codes })}\n${run.faults.join('\n')}\n`,
    );
    expect(run.faults, `TORTURE_SEED=${SEED}`).toEqual([]);
    // Otherwise the test would prove nothing.
    expect(countOf(run.sent, 'done')).toBeGreaterThan(OPERATIONS / LEAST_PART);
    expect(countOf(run.answers, 'done')).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
