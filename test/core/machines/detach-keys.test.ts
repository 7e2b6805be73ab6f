import { expect, test } from 'vitest';
import { readTypedKeys } from '../../../src/core/machines/index.ts';

test('Ctrl-A d leaves as in GNU Screen, Ctrl-A a types Ctrl-A, and everything else is typed', () => {
  const typed = (text: string, isOpen = false) => readTypedKeys(text, isOpen);
  expect(typed('yes\r')).toEqual({ keys: 'yes\r', isLeaving: false, isOpen: false });
  expect(typed('no\u0001d never')).toEqual({ keys: 'no', isLeaving: true, isOpen: false });
  expect(typed('\u0001\u0004')).toMatchObject({ isLeaving: true });
  expect(typed('\u0001')).toEqual({ keys: '', isLeaving: false, isOpen: true });
  expect(typed('d', true)).toMatchObject({ isLeaving: true });
  expect(typed('\u0001a\u0001kx')).toEqual({ keys: '\u0001x', isLeaving: false, isOpen: false });
  expect(typed('\u001b[200~d\u001b[201~')).toMatchObject({ keys: '\u001b[200~d\u001b[201~', isLeaving: false });
});
