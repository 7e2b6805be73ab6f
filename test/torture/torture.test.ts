import { expect, test } from 'vitest';
import { seedOf } from './random.ts';
import { runTorture, type TortureOptions, type TortureRun } from './run.ts';

/**
 * The values for `npm test`, which are the same each time. `npm run torture` runs 2,000 operations with another seed.
 */
const SEED = 4711;
const OPERATIONS = 160;
const KILLS = 12;
/** Each Claude Code takes 250 MB, and all of them share two cores. */
const SESSIONS = 4;
const CLIENTS = 5;
/** Far more than needed: 2,000 operations take a quarter of an hour. */
const TIMEOUT_MS = 2_400_000;

const seed = seedOf(process.env, SEED);
const operations = Number(process.env.TORTURE_OPS ?? OPERATIONS);

async function torture(options: Pick<TortureOptions, 'operations' | 'kills'>): Promise<void> {
  process.stdout.write(`TORTURE_SEED=${seed}\n`);
  const run = await runTorture({ ...options, seed, sessions: SESSIONS, clients: CLIENTS }).catch((error: unknown) => {
    // Printed at once, because the next part takes minutes.
    process.stdout.write(`${String(error)}\n`);
    throw error;
  });
  process.stdout.write(`${summary(run)}\n${run.faults.join('\n')}\n`);
  expect(run.faults, `TORTURE_SEED=${seed}`).toEqual([]);
}

function summary({ ledger, kills, tookMs, statuses, passedQueue }: TortureRun): string {
  const seconds = Math.round(tookMs / 1_000);
  return `${JSON.stringify(ledger.count)}, ${kills} kills, ${seconds} s; deliveries ${JSON.stringify(statuses)}, ${passedQueue} passed the queue`;
}

test(
  'nothing is lost, doubled, altered, out of order, or in the wrong dialog, whatever several clients do at once',
  () => torture({ operations, kills: 0 }),
  TIMEOUT_MS,
);

test(
  'nothing is typed twice and nothing held is lost, although the server is killed again and again',
  () => torture({ operations: Math.ceil(operations / 2), kills: Math.ceil((KILLS * operations) / OPERATIONS) }),
  TIMEOUT_MS,
);
