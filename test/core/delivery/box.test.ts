import { describe, expect, test } from 'vitest';
import { boxHolds, textsInBox } from '../../../src/core/delivery/box.ts';

const LONG = Array.from({ length: 60 }, (_, line) => `line ${line} of a long text`).join('\n');

describe('the box of the prompt', () => {
  test.each([
    ['the text', 'run the tests', 'run the tests', 'text'],
    ['the text, wrapped and indented', 'run the\n  tests', 'run the tests', 'text'],
    ['the text, a word broken at the edge', 'run the te\nsts', 'run the tests', 'text'],
    ['tabs as blanks', 'a    b', 'a\tb', 'text'],
    ['a shell command, its sign as the mark', 'ls -l', '!ls -l', 'text'],
    ['half an emoji and a sign put together', 'go 👩‍👩‍ and é', 'go 👩‍👩‍👧‍👦 and e\u0301', 'text'],
    ['the end of a long text', LONG.slice(-400), LONG, 'text'],
    ['a placeholder for a paste', '[Pasted text #1 +59 lines]', LONG, 'text'],
    ['a short end, which may be that of another text', 'tests', 'run the tests', 'other'],
    ['the beginning of a text that is still being read', 'run the', 'run the tests', 'other'],
    ['nothing yet', '', 'run the tests', 'other'],
    ['a letter more at the end', 'run the testsx', 'run the tests', 'more'],
    ['a letter more at the beginning', 'xrun the tests', 'run the tests', 'more'],
    ['a letter more after the end of a long text', `${LONG.slice(-400)}x`, LONG, 'more'],
    ['a draft beside a placeholder', 'mine [Pasted text #1 +59 lines]', LONG, 'other'],
    ['a picture for its path', 'look at [Image #1]', 'look at /tmp/a.png', 'other'],
    ['another text', 'something else', 'run the tests', 'other'],
  ])('with %s', (_, draft, text, holds) => {
    expect(boxHolds(draft, text)).toBe(holds);
  });

  test('with several texts, one below the other, holds them in this order and nothing else', () => {
    const texts = ['first one', 'second one', 'third one'];
    expect(textsInBox('first one\nsecond one', texts)).toEqual([0, 1]);
    expect(textsInBox('second one\n\n  first one', texts)).toEqual([1, 0]);
    expect(textsInBox('third\n  one', texts)).toEqual([2]);
    expect(textsInBox('first one\nsecond one and more', texts)).toBeNull();
    expect(textsInBox('first one\nfirst one', texts)).toBeNull();
    expect(textsInBox('go\ngo on', ['go', 'go on'])).toEqual([0, 1]);
    expect(textsInBox('go on\ngo', ['go', 'go on'])).toEqual([1, 0]);
    expect(textsInBox('', texts)).toBeNull();
  });
});
