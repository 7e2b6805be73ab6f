const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * How many UTF-16 units to split at a time. The time that `Intl.Segmenter` takes grows with the square of a text's
 * length: 40 kB took 5 s and 100 kB 25 s in Node 20.
 */
const PIECE_UNITS = 256;

/**
 * Returns the characters of a text as people see them, in order: an emoji with its skin tone is one. Takes time in
 * proportion to the text's length.
 */
export function* graphemes(text: string): Generator<string, void, undefined> {
  let from = 0;
  let units = PIECE_UNITS;
  while (from < text.length) {
    let to = from + units;
    // Half a character would look like the end of a grapheme.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    const piece = text.slice(from, to);
    const segments = Array.from(segmenter.segment(piece), ({ segment }) => segment);
    if (to < text.length) {
      // The next piece may continue the last grapheme, so that piece begins with it.
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
