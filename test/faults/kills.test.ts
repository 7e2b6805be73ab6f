import { expect, test } from 'vitest';
import { seedOf } from '../torture/random.ts';
import { type KillsRun, runKills, textFaults, type WantedText } from './harness/kills.ts';

/** The values for `npm test`. `npm run kills` runs 200 kills with another seed. */
const KILLS = 6;
const SEED = 4711;
/** A run of 200 kills takes a while, so its progress is printed. */
const TOLD_EVERY = 10;
const TIMEOUT_MS = 3_600_000;

const seed = seedOf({ TORTURE_SEED: process.env.KILLS_SEED }, SEED);
const kills = Number(process.env.KILLS ?? KILLS);

test(
  `${kills} SIGKILLs of the server: a client that repeats its requests gets every text through exactly once`,
  async () => {
    process.stdout.write(`KILLS_SEED=${seed} KILLS=${kills}\n`);
    const began = performance.now();
    const told = (run: Pick<KillsRun, 'kills' | 'texts'>): string =>
      `${summary(run)}, ${Math.round((performance.now() - began) / 1_000)} s`;
    const onKill = (run: Pick<KillsRun, 'kills' | 'texts'>): void => {
      if (run.kills % TOLD_EVERY === 0) process.stdout.write(`${told(run)}\n`);
    };
    const run = await runKills({ seed, kills, sessions: 4, clients: 5, onKill });
    process.stdout.write(`${told(run)}\n${run.faults.join('\n')}\n`);
    expect(run.faults, `KILLS_SEED=${seed}`).toEqual([]);
  },
  TIMEOUT_MS,
);

function summary({ texts, kills: done }: Pick<KillsRun, 'kills' | 'texts'>): string {
  const count = (of: (text: WantedText) => boolean): number => texts.filter(of).length;
  const unknown = count(({ told }) => told?.status === 'unknown');
  const failed = count(({ failures }) => failures.length > 0);
  const repeated = count(({ requests }) => requests > 1);
  const delivered = count(({ told }) => told?.status === 'delivered');
  return `${done} kills, ${texts.length} texts: ${delivered} delivered, ${repeated} asked for again, ${failed} failed and sent again, ${unknown} unknown`;
}

test('a text that is reported wrongly, never settled, or unknown too often is a fault', () => {
  const text: WantedText = {
    mark: 'S0.c0.1',
    session: 'S0',
    text: 'text',
    queue: false,
    key: 'k',
    requests: 1,
    failures: [],
    told: { id: '1', status: 'delivered', note: null },
  };
  const came = { arrived: () => [text.mark] };
  const missed = { arrived: () => [] };
  const told = (status: 'queued' | 'unknown', note: string | null): WantedText => ({
    ...text,
    told: { id: '1', status, note },
  });
  expect(textFaults([text], came)).toEqual([]);
  expect(textFaults([text], missed)).toHaveLength(1);
  expect(textFaults([told('queued', null)], came)).toHaveLength(1);
  expect(textFaults([told('unknown', null), ...Array(99).fill(text)], came)).toHaveLength(1);
  expect(textFaults([told('unknown', 'why'), ...Array(99).fill(text)], came)).toEqual([]);
  expect(textFaults([told('unknown', 'why'), text], came)).toHaveLength(1);
});
