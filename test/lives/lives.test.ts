import { expect, test } from 'vitest';
import { live } from './live.ts';

/** `npm test` lives the same few lives each time. `npm run lives` lives 200 others. */
const SEED = Number(process.env.LIVES_SEED ?? 39);
const LIVES = Number(process.env.LIVES ?? 4);
const STEPS = Number(process.env.LIVES_STEPS ?? 6);
/** Each Claude Code takes 250 MB and a second of processor time to start. */
const AT_A_TIME = Number(process.env.LIVES_AT_A_TIME ?? 2);
const TIMEOUT_MS = 600_000 + LIVES * 120_000;

test(
  'no conversation is replaced, no question is lost or answered for another, and no wait ends early, whatever happens to a session',
  async () => {
    const seeds = Array.from({ length: LIVES }, (_, at) => SEED + at);
    const faults: string[] = [];
    const next = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const story = await live(seed, STEPS).catch((error: unknown) => void faults.push(String(error)));
        process.stdout.write(`${JSON.stringify(story ?? faults.at(-1))}\n`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, next));
    expect(faults, `LIVES_SEED=${SEED}`).toEqual([]);
  },
  TIMEOUT_MS,
);
