import { expect, test } from 'vitest';
import { seedOf } from '../torture/random.ts';
import { runSoak } from './harness/soak.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 60);
const seed = seedOf({ TORTURE_SEED: process.env.SOAK_SEED }, 4711);
const MINUTE_MS = 60_000;

test(
  `in ${minutes} minutes of turns of all kinds nothing grows: memory, descriptors, processes, log and disk`,
  async () => {
    process.stdout.write(`SOAK_MINUTES=${minutes} SOAK_SEED=${seed}\n`);
    const onSample = (sample: object): void => void process.stdout.write(`${JSON.stringify(sample)}\n`);
    const { count, faults } = await runSoak({ minutes, seed, screens: 5, jsons: 2, onSample });
    process.stdout.write(`${JSON.stringify(count)}\n${faults.join('\n')}\n`);
    expect(faults).toEqual([]);
  },
  (minutes + 10) * MINUTE_MS,
);
