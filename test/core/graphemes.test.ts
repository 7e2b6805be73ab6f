import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphemes } from '../../src/text/graphemes.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const whole = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * Parts that join with their neighbours: skin tones, flags, families, marks, Hangul, line ends, and halves of
 * characters.
 */
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

test('a text in pieces has the same characters as the whole text', () => {
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

test('signs, letters and lines, which are split without rules, stay separate', () => {
  const ranges = [' ~', '\u00a0\u02ff', '\u0400\u0482', '\u048a\u052f', '\u2010\u2027', '\u2190\u27bf', '\t\n'];
  const unit = fc.oneof(
    ...ranges.map((range) =>
      fc.integer({ min: range.charCodeAt(0), max: range.charCodeAt(1) }).map((code) => String.fromCharCode(code)),
    ),
  );
  const someText = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
  fc.assert(
    fc.property(someText, fc.constantFrom('', ...PARTS), (text, part) => {
      expect([...graphemes(text)]).toEqual(whole(text));
      expect([...graphemes(`${text}${part}${text}`)]).toEqual(whole(`${text}${part}${text}`));
    }),
    { numRuns: 300 },
  );
});
