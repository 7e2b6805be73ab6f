import { expect, test } from 'vitest';
import { type Change, createHeldChanges } from '../../../src/server/session/held-changes.ts';

test('changes are kept back while something holds them, and then reported as one', () => {
  const told: Change[] = [];
  const held = createHeldChanges((change) => told.push(change));
  expect(held.defer('state')).toBe(false);
  const first = held.begin();
  const second = held.begin();
  expect([held.defer('updated'), held.defer('state'), held.defer('updated')]).toEqual([true, true, true]);
  first();
  first();
  expect(told).toEqual([]);
  second();
  expect(told).toEqual(['state']);
  held.begin()();
  expect(told).toHaveLength(1);
  expect(held.defer('updated')).toBe(false);
});
