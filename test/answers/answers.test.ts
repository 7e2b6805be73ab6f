import { expect, test } from 'vitest';
import { testedVersion } from '../harness/claude.ts';
import { KINDS, PLAN_KINDS } from './kinds.ts';
import { type Given, playAnswers } from './play-answers.ts';

/** `npm test` gives one answer of each kind. `npm run answers` requests 250 of each of four versions. */
const count = Number(process.env.CBOS_ANSWERS ?? Object.keys({ ...KINDS, ...PLAN_KINDS }).length);

/** With CBOS_ANSWERS_BY=keys, no hook waits, so each answer is typed. */
const byKeys = process.env.CBOS_ANSWERS_BY === 'keys';

/** This is far more than needed. A typed answer takes a second. */
const TIMEOUT_MS = 120_000 + count * 5_000;

test('every answer is taken as intended, and none of them is typed', { timeout: TIMEOUT_MS }, async () => {
  const given = await playAnswers({ count, byKeys });
  process.stdout.write(`${figures(given)}\n`);
  expect(given.filter(({ fault }) => fault !== null)).toEqual([]);
  expect(given).toHaveLength(count);
  if (byKeys) expect(given.filter(({ typed }) => typed === 0)).toEqual([]);
  else expect(given.filter(({ typed }) => typed > 0)).toEqual([]);
});

function figures(given: readonly Given[]): string {
  const kinds = [...new Set(given.map(({ kind }) => kind))].sort();
  const lines = kinds.map((kind) => `  ${kind.padEnd(34)} ${line(given.filter((one) => one.kind === kind))}`);
  return [`answers on ${testedVersion()}: ${line(given)}`, ...lines].join('\n');
}

function line(given: readonly Given[]): string {
  const good = given.filter(({ fault }) => fault === null);
  const times = good.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const typed = given.reduce((sum, one) => sum + one.typed, 0);
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const refused = given.reduce((sum, one) => sum + one.refused, 0);
  const counts = `${good.length} of ${given.length} as meant, ${typed} typed, ${refused} refused at first`;
  return `${counts}; median ${Math.round(median)} ms`;
}
