import { expect, test } from 'vitest';
import { pagerStep } from '../../src/tui/modes/pager-keys.ts';

test.each([
  ['j', 1],
  ['up', -1],
  [' ', 30],
  ['pageup', -30],
  ['g', Number.NEGATIVE_INFINITY],
  ['G', Number.POSITIVE_INFINITY],
  ['x', undefined],
  ['constructor', undefined],
])('%j scrolls a picture of 30 lines by %s', (key, step) => {
  expect(pagerStep(key, 30)).toBe(step);
});
