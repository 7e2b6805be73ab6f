import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphemes } from '../../src/text/graphemes.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const whole = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** What joins with its neighbours: tones, flags, families, marks, Hangul, line ends, halves of characters. */
const PARTS = [
  'a',
  ' ',
  '\r',
  '\n',
  '漢',
  'e\u0301',
  '👍🏽',
  '🇩🇪',
  '👩‍👩‍👧',
  '\u0301',
  '\u200d',
  '각',
  '\ud83d',
  '\udc4d',
  'क्ष',
];

test('a text in pieces has the characters of the whole text', () => {
  const someText = fc.array(fc.constantFrom(...PARTS), { maxLength: 700 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(someText, (text) => {
      expect([...graphemes(text)]).toEqual(whole(text));
    }),
  );
});

test.each([
  ['a character that is longer than a piece', `a${'\u0301'.repeat(2_000)}b`],
  ['flags without end', '🇩🇪'.repeat(1_000)],
  ['a family at the end of a piece', `${'x'.repeat(250)}👩‍👩‍👧‍👦${'y'.repeat(300)}`],
  ['a tone behind the end of a piece', `${'x'.repeat(254)}👍🏽`],
  ['a line end across the end of a piece', `${'x'.repeat(255)}\r\n`],
  ['nothing', ''],
])('%s', (_, text) => {
  expect([...graphemes(text)]).toEqual(whole(text));
});
