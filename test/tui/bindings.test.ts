import { expect, test } from 'vitest';
import type { App } from '../../src/tui/app.ts';
import { createModel } from '../../src/tui/model.ts';
import { ANSWER_KEYS, TURN_KEYS } from '../../src/tui/modes/answer-keys.ts';
import { type Binding, helpRows, hintsOf, keysFor } from '../../src/tui/modes/binding.ts';
import { browse } from '../../src/tui/modes/browse.ts';
import { OPEN_KEYS, OTHER_KEYS, SESSION_KEYS, VIEW_KEYS } from '../../src/tui/modes/browse-keys.ts';
import { HELP } from '../../src/tui/modes/help-sections.ts';
import { someSession } from '../harness/some-session.ts';

interface Door {
  isLocked: boolean;
  isOpen: boolean;
}

const KEYS: readonly Binding<Door>[] = [
  {
    keys: ['o', 'enter'],
    does: ({ isOpen }) => (isOpen ? 'close' : 'open'),
    disabled: ({ isLocked }) => (isLocked ? 'The door is locked' : null),
    help: 'open the door',
    run(door) {
      door.isOpen = !door.isOpen;
    },
  },
  { keys: ['x'], applies: ({ isOpen }) => isOpen, does: 'leave', run: () => undefined },
  { keys: ['x'], does: 'knock', helpKeys: 'x y', help: 'knock', run: () => undefined },
  { keys: ['ctrl+s'], label: '^S', does: 'save', run: () => undefined },
];

test('the footer offers the keys that have an effect now, in the order that is asked for', () => {
  const closed = { isLocked: false, isOpen: false };
  expect(hintsOf(KEYS, closed)).toEqual([
    ['o', 'open'],
    ['x', 'knock'],
    ['^S', 'save'],
  ]);
  expect(hintsOf(KEYS, { isLocked: true, isOpen: false }, ['x', 'o'])).toEqual([['x', 'knock']]);
  expect(hintsOf(KEYS, { isLocked: false, isOpen: true }, ['x', 'o'])).toEqual([
    ['x', 'leave'],
    ['o', 'close'],
  ]);
  expect(helpRows(KEYS)).toEqual([
    ['o', 'open the door'],
    ['x y', 'knock'],
  ]);
});

test('a key that is disabled shows the reason; a key without a row is left to the mode', () => {
  const door = { isLocked: true, isOpen: false };
  const said: string[] = [];
  const typed: string[] = [];
  const { handle } = keysFor(KEYS, {
    of: door,
    toast: (_, text) => said.push(text),
    otherwise: (event) => typed.push(event.kind === 'key' ? event.name : event.kind),
  });
  const key = (name: string) => handle({ kind: 'key', name, text: '' });
  key('enter');
  key('z');
  handle({ kind: 'paste', text: 'o' });
  expect([said, typed, door.isOpen]).toEqual([['The door is locked'], ['z', 'paste'], false]);
  door.isLocked = false;
  key('enter');
  expect([said.length, door.isOpen]).toEqual([1, true]);
});

test('while sessions are marked, a key for a single session says why it has no effect', () => {
  const model = createModel(0);
  model.view = new Map([['A', someSession('A')]]);
  model.selected = 'A';
  model.marked = new Set(['A']);
  const said: string[] = [];
  const toast = (_: unknown, text: string): number => said.push(text);
  const mode = browse({ model, toast, options: { now: () => 0 } } as unknown as App);
  for (const name of ['y', 'n', '1', 'd', 't']) mode.handle({ kind: 'key', name, text: name });
  expect(said).toEqual(Array(5).fill('Some sessions are marked; Esc removes the marks'));
  expect(mode.hints().map(([name]) => name)).toEqual(['Space', 's', 'i', 'r', 'x', 'C', 'Esc', '?']);
});

test('no key of the list has a row that never has an effect, because an earlier row always takes the key', () => {
  const rows = [ANSWER_KEYS, SESSION_KEYS, TURN_KEYS, VIEW_KEYS, OPEN_KEYS, OTHER_KEYS].flat();
  const taken = new Set<string>();
  const dead = rows.flatMap(({ keys, applies }) => {
    const found = keys.filter((key) => taken.has(key));
    if (applies === undefined) for (const key of keys) taken.add(key);
    return found;
  });
  expect(dead).toEqual([]);
});

test('the help page names each key of the list', () => {
  const page = Object.values(HELP).flat(2).join(' ').split(/[ ,]+/);
  const names: Readonly<Record<string, string>> = { enter: 'Enter', escape: 'Esc' };
  const rows = [ANSWER_KEYS, SESSION_KEYS, TURN_KEYS, VIEW_KEYS, OPEN_KEYS, OTHER_KEYS].flat();
  const unnamed = rows.filter(
    ({ help, keys: [name = ''] }) => help === undefined && !page.includes(names[name] ?? name),
  );
  // `?` opens the page, and the section about commands explains `:`.
  expect(unnamed.flatMap(({ keys }) => keys)).toEqual([':', '?']);
});
