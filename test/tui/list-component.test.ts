import { expect, test } from 'vitest';
import { createList, createPager } from '../../src/tui/list.ts';

const letters = (text: string): string[] => [...text];
const drawn = (item: string, isChosen: boolean): string[] => [isChosen ? `>${item}` : item];

test('a list moves by keys and stays within its items; the view moves as little as possible', () => {
  const list = createList({ items: () => letters('abcdefgh') });
  expect(list.show(3, drawn)).toEqual(['>a', 'b', 'c']);
  for (const key of ['k', 'up', 'home', 'pageup']) expect(list.onKey(key)).toBe(true);
  expect(list.chosen()).toBe('a');
  list.onKey('j');
  list.onKey('down');
  expect(list.show(3, drawn)).toEqual(['a', 'b', '>c']);
  list.onKey('pagedown');
  expect(list.show(3, drawn)).toEqual(['d', 'e', '>f']);
  list.onKey('k');
  expect(list.show(3, drawn)).toEqual(['d', '>e', 'f']);
  list.onKey('end');
  list.onKey('j');
  expect(list.show(3, drawn)).toEqual(['f', 'g', '>h']);
  expect(list.position()).toBe('8 of 8');
  expect(list.show(5, drawn)).toEqual(['d', 'e', 'f', 'g', '>h']);
  expect(list.onKey('x')).toBe(false);
  expect(list.at()).toBe(7);
});

test('the selected item is in the middle of a centred list, except near its ends', () => {
  const list = createList({ items: () => letters('abcdefgh'), at: 4, isCentred: true });
  expect(list.show(4, drawn)).toEqual(['c', 'd', '>e', 'f']);
  list.onKey('g');
  expect(list.show(4, drawn)).toEqual(['>a', 'b', 'c', 'd']);
  list.onKey('G');
  expect(list.show(4, drawn)).toEqual(['e', 'f', 'g', '>h']);
});

test('items of several rows begin at the top of the view, and the selected one is shown in full if it fits', () => {
  const list = createList({ items: () => letters('abc') });
  const tall = (item: string): string[] => [`${item}1`, `${item}2`];
  expect(list.show(3, tall)).toEqual(['a1', 'a2', 'b1']);
  list.onKey('pagedown');
  expect(list.show(3, tall)).toEqual(['b1', 'b2', 'c1']);
  expect(list.show(1, tall)).toEqual(['b1']);
});

test('the same item stays selected when the items change; if it is gone, the one in its place is selected', () => {
  let items = letters('abc');
  const list = createList({ items: () => items, keyOf: (item) => item, key: 'b' });
  items = [];
  expect(list.chosen()).toBeUndefined();
  items = letters('xyzab');
  expect(list.chosen()).toBe('b');
  items = letters('bxyza');
  expect(list.chosen()).toBe('b');
  items = letters('xyza');
  expect(list.chosen()).toBe('x');
  items = letters('qxyza');
  expect(list.chosen()).toBe('x');
});

test('on request, the first item stays selected, whichever it is', () => {
  let items = letters('bc');
  const list = createList({ items: () => items, keyOf: (item) => item, staysAtTop: true });
  expect(list.chosen()).toBe('b');
  items = letters('abc');
  expect(list.chosen()).toBe('a');
  list.move(1);
  items = letters('zabc');
  expect(list.chosen()).toBe('b');
});

test('an item is shown at the top on request, as far as the items below it fill the view', () => {
  const list = createList({ items: () => letters('abcdef') });
  list.chooseAtTop(2);
  expect(list.show(3, drawn)).toEqual(['>c', 'd', 'e']);
  list.chooseAtTop(5);
  expect(list.show(3, drawn)).toEqual(['d', 'e', '>f']);
});

test('a pager scrolls within its lines, tells how many are left, and knows when the end is visible', () => {
  const pager = createPager();
  const lines = letters('abcdefg');
  expect(pager.show(lines, 3)).toEqual({ rows: ['a', 'b', 'c'], more: '  (4 more lines)', isEnd: false });
  expect(pager.onKey(' ')).toBe(true);
  expect(pager.show(lines, 3).rows).toEqual(['d', 'e', 'f']);
  expect(pager.onKey('G')).toBe(true);
  expect(pager.show(lines, 3)).toEqual({ rows: ['e', 'f', 'g'], more: '', isEnd: true });
  expect(pager.show(letters('ab'), 3)).toEqual({ rows: ['a', 'b'], more: '', isEnd: true });
  expect(pager.onKey('y')).toBe(false);
  pager.toTop();
  expect(pager.show(lines, 3).rows).toEqual(['a', 'b', 'c']);
});
