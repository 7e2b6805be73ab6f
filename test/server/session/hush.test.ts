import { expect, test } from 'vitest';
import { createHush } from '../../../src/server/session/hush.ts';

test('changes are told at once, unless something holds them back; then as one, from the first state to the last', () => {
  const told: unknown[] = [];
  const hush = createHush((change) => told.push(change));
  expect(hush.defer({ was: 'idle' })).toBe(false);
  const first = hush.begin();
  const second = hush.begin();
  expect([hush.defer(null), hush.defer({ was: 'thinking' }), hush.defer({ was: 'waiting' })]).toEqual([
    true,
    true,
    true,
  ]);
  first();
  first();
  expect(told).toEqual([]);
  second();
  expect(told).toEqual([{ was: 'thinking' }]);
  hush.begin()();
  expect(told).toHaveLength(1);
  expect(hush.defer(null)).toBe(false);
});
