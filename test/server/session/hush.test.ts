import { expect, test } from 'vitest';
import { type Change, createHush } from '../../../src/server/session/hush.ts';

test('changes are kept back while something holds them, and then reported as one', () => {
  const told: Change[] = [];
  const hush = createHush((change) => told.push(change));
  expect(hush.defer('state')).toBe(false);
  const first = hush.begin();
  const second = hush.begin();
  expect([hush.defer('updated'), hush.defer('state'), hush.defer('updated')]).toEqual([true, true, true]);
  first();
  first();
  expect(told).toEqual([]);
  second();
  expect(told).toEqual(['state']);
  hush.begin()();
  expect(told).toHaveLength(1);
  expect(hush.defer('updated')).toBe(false);
});
