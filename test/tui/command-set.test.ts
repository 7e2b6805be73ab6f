import { expect, test } from 'vitest';
import type { App } from '../../src/tui/app.ts';
import { commandSet } from '../../src/tui/commands.ts';

test.each([
  ['/kill', '/stop'],
  ['/stash', '/draft'],
])('%s, as it was called before, is %s: taken, no longer offered', (was, name) => {
  expect(commandSet.fits(was)).toBe(true);
  expect(commandSet.matching(was)).toEqual([]);
  expect(commandSet.matching(name)).toHaveLength(1);
  const ran = [was, name].map((typed) => {
    const said: string[] = [];
    const app = { model: { view: new Map(), selected: null }, toast: (_: string, text: string) => said.push(text) };
    const open = (): void => void said.push('opened');
    commandSet.run({ ...app, open, run: () => undefined } as unknown as App, typed);
    return said;
  });
  expect(ran[0]).toHaveLength(1);
  expect(ran[0]).toEqual(ran[1]);
});

test('an unknown command goes to Claude Code', () => {
  expect(commandSet.has('/model')).toBe(false);
  expect(commandSet.has('/constructor')).toBe(false);
});
