import { describe, expect, test } from 'vitest';
import { ScreenReader } from '../../../src/core/recording/index.ts';

const ROWS = 12;
const PROMPT = ['────', '❯ ', '────'];
/** Builds a screen with some lines of a transcript above a prompt. */
const screen = (lines: readonly string[]): string[] => {
  const room = ROWS - PROMPT.length;
  return [...lines, ...Array.from({ length: Math.max(0, room - lines.length) }, () => '')].slice(-room).concat(PROMPT);
};
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

function readAll(screens: readonly (readonly string[])[]): string[] {
  const reader = new ScreenReader();
  return [...screens.flatMap((lines) => reader.see(lines)), ...reader.leave()];
}

describe('reading along a screen without scrollback', () => {
  test.each([1, 2, 4, 5])('every line of a transcript that scrolls by %i is returned once, in order', (by) => {
    const screens: string[][] = [];
    for (let count = 1; count <= 61; count += by) screens.push(screen(numbered(count)));
    const last = 1 + Math.floor(60 / by) * by;
    expect(readAll(screens).filter((line) => line.startsWith('line'))).toEqual(numbered(last));
  });

  test('a line that changes in place is returned once, in its last form', () => {
    const spinning = [...'◐◓◑◒'].map((mark) => screen(['one', 'two', 'three', `${mark} working`]));
    expect(readAll(spinning)).toEqual([...screen(['one', 'two', 'three', '◒ working'])]);
  });

  test('a screen that is replaced by another one is returned', () => {
    const first = screen(['one', 'two', 'three', 'four', 'five']);
    const second = screen(['six', 'seven', 'eight', 'nine', 'ten']);
    expect(readAll([first, second])).toEqual(['one', 'two', 'three', 'four', 'five', ...second]);
  });
});
