import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTiming, withLostRows, withoutLost } from '../../../src/core/recording/index.ts';

const ROWS = ['O 0.500000 160', 'S 0.100000 SIGWINCH ROWS=30 COLS=100', 'O 0.020000 40', 'O 0.000001 7', ''].join('\n');

const bytesIn = (rows: string): number =>
  parseTiming(rows).entries.reduce((sum, entry) => sum + (entry.kind === 'output' ? entry.bytes : 0), 0);
const secondsIn = (rows: string): number => parseTiming(rows).entries.reduce((sum, { delay }) => sum + delay, 0);

test.each([
  { kept: 207, which: 'first', expected: ROWS },
  { kept: 0, which: 'first', expected: ROWS.replaceAll('O 0', 'H 0') },
  { kept: 170, which: 'first', expected: ROWS.replace('20000 40', '20000 10').replace('O 0.000001', 'H 0.000001') },
  { kept: 17, which: 'last', expected: ROWS.replace('20000 40', '20000 10').replace('O 0.5', 'H 0.5') },
] as const)('rows whose $which $kept bytes were kept', ({ kept, which, expected }) => {
  expect(withoutLost(ROWS, kept, which)).toBe(expected);
});

test('a row that was cut off is joined with the next one, at its time', () => {
  const torn = 'O 0.500000 8\nO 0.00002O 0.248026 160\nO 0.1 1\n';
  expect(parseTiming(torn).skipped).toBe(0);
  expect(bytesIn(torn)).toBe(169);
  expect(withoutLost(torn, 169, 'first')).toBe('O 0.500000 8\nO 0000000000.248026 160\nO 0.1 1\n');
  // Rows were lost but their output was not, so the joined row counts it.
  expect(bytesIn(withLostRows(torn, 2_000))).toBe(2_169);
  expect(secondsIn(withLostRows(torn, 2_000))).toBeCloseTo(0.848026);
  expect(withLostRows('O 0.1 1\n', 5)).toBe('O 0.1 1\n');
});

test('whatever was lost, nothing moves, no time is lost, and the kept output is counted', () => {
  const row = fc.tuple(fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 1, max: 100_000 }));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.nat(), fc.constantFrom('first', 'last'), (rows, some, which) => {
      const text = rows.map(([micros, bytes]) => `O ${(micros / 1e6).toFixed(6)} ${bytes}\n`).join('');
      const kept = some % (bytesIn(text) + 1);
      const corrected = withoutLost(text, kept, which);
      expect(corrected.length).toBe(text.length);
      expect(corrected.split('\n').map((line) => line.length)).toEqual(text.split('\n').map((line) => line.length));
      expect(bytesIn(corrected)).toBe(kept);
      expect(secondsIn(corrected)).toBeCloseTo(secondsIn(text), 6);
    }),
  );
});
