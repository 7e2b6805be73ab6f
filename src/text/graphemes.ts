/**
 * The segmenter is created only when it is first needed, because Node 20 takes 6 ms to load its rules, a quarter of
 * Node's whole start time.
 */
let segmenter: Intl.Segmenter | undefined;

/**
 * Matches text in which each UTF-16 unit is one grapheme: Latin, Greek and Cyrillic letters, punctuation, arrows,
 * lines, blocks, and signs. No character in these ranges joins its neighbours; those that do (U+0300, U+200D, U+FE0F,
 * surrogates) are in none of them. CR is left out because CR LF is one grapheme.
 */
const ONE_UNIT_EACH = /^[\t\n -~\u00a0-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u27bf]*$/;

/**
 * How many UTF-16 units to split at a time. The time that `Intl.Segmenter` takes grows with the square of the length:
 * 40 kB took 5 s and 100 kB 25 s in Node 20.
 */
const PIECE_UNITS = 256;

/**
 * Returns the characters of a string as people see them, in order: an emoji with its skin tone is one character. The
 * time is proportional to the length of the string.
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
    // Half a character would look like the end of a grapheme.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    const piece = text.slice(from, to);
    const segments = Array.from(segmenter.segment(piece), ({ segment }) => segment);
    if (to < text.length) {
      // The next piece may continue the last grapheme, so the next piece begins with that grapheme.
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
