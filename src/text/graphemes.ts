/**
 * The segmenter is created on first use, because Node 20 takes 6 ms to load its rules, which is a quarter of the time
 * that Node needs to start.
 */
let segmenter: Intl.Segmenter | undefined;

/**
 * Matches text in which each UTF-16 unit is one grapheme: Latin, Greek and Cyrillic letters, punctuation, arrows,
 * lines, blocks, and symbols. These ranges exclude all characters that combine with their neighbours, such as U+0300,
 * U+200D, U+FE0F, and surrogates. They also exclude CR, because CR LF is a single grapheme.
 */
const ONE_UNIT_EACH = /^[\t\n -~\u00a0-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u27bf]*$/;

/**
 * How many UTF-16 units to split at a time. The time that `Intl.Segmenter` needs grows with the square of the length:
 * in Node 20, 40 kB took 5 s, and 100 kB took 25 s.
 */
const PIECE_UNITS = 256;

/**
 * Splits a string into the characters that users see. For example, an emoji with its skin tone is one character. The
 * running time is proportional to the length of the string.
 */
export function* graphemes(text: string): Generator<string, void, undefined> {
  if (ONE_UNIT_EACH.test(text)) {
    yield* text;
    return;
  }
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  let from = 0;
  let units = PIECE_UNITS;
  while (from < text.length) {
    let to = from + units;
    // Do not split a surrogate pair, because its first half would look like the end of a grapheme.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    const piece = text.slice(from, to);
    const segments = Array.from(segmenter.segment(piece), ({ segment }) => segment);
    if (to < text.length) {
      // The next piece begins with the last grapheme of this one, because that grapheme may continue in the next piece.
      const last = segments.pop() ?? '';
      if (segments.length === 0) {
        units *= 2;
        continue;
      }
      to -= last.length;
    }
    yield* segments;
    from = to;
    units = PIECE_UNITS;
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
