import { expect, test } from 'vitest';
import { BOUNDS, growthFaults, type Sample } from './harness/growth.ts';

/** A run of an hour in which nothing grows beyond what a turn may leave. */
const flat: readonly Sample[] = Array.from({ length: 60 }, (_, minute) => ({
  at: minute,
  turns: minute * 20,
  memoryBytes: 200_000_000 + (minute % 5) * 2_000_000,
  descriptors: 60 + (minute % 3),
  processes: 40 + (minute % 2) * 5,
  logBytes: minute * 100,
  homeBytes: 1_000_000 + minute * 20 * 5_000,
  recordingBytes: minute * 1_000_000,
}));

test('a run in which nothing grows has no fault', () => {
  expect(growthFaults(flat)).toEqual([]);
});

test.each<[string, (sample: Sample) => Partial<Sample>]>([
  ['memory', ({ at, memoryBytes }) => ({ memoryBytes: memoryBytes + at * 1_500_000 })],
  ['descriptors', ({ at, descriptors }) => ({ descriptors: descriptors + Math.floor(at / 4) })],
  ['processes', ({ at, processes }) => ({ processes: processes + Math.floor(at / 5) })],
  ['log', ({ turns }) => ({ logBytes: turns * (BOUNDS.logBytesPerTurn + 100) })],
  ['home', ({ turns }) => ({ homeBytes: turns * (BOUNDS.homeBytesPerTurn + 5_000) })],
])('%s that grows with time is a fault, and only that', (what, change) => {
  const faults = growthFaults(flat.map((sample) => ({ ...sample, ...change(sample) })));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`${what}:`);
});

test('a run that was too short, or in which nothing was done, proves nothing', () => {
  expect(growthFaults(flat.slice(0, 8))).toHaveLength(1);
  expect(growthFaults(flat.map((sample) => ({ ...sample, turns: 5 }))).join()).toContain('no session did a turn');
});
