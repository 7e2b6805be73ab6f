import fc from 'fast-check';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Switches line wrapping off, and on again. */
export const NO_WRAP = ['\x1b[?7l', '\x1b[?7h'];
/** Switches to line drawing, and back to letters. */
export const CHARSETS = ['\x1b(0', '\x1b(B', '\x1b)0', '\x0e', '\x0f'];
/**
 * A piece of what programs write, and of what they should not write: text of every kind, escape sequences, and invalid
 * bytes.
 */
export const anyOutput = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map(bytes) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        ...['日本', '👩‍💻', '🤷🏽', 'e\u0301', '“—…”', '、。　', '𠀀', '🀀', '\r\n', '\n', '\t', '\b'],
        ...[
          '\x1b[31m',
          '\x1b[1;48;5;7m',
          '\x1b[0m',
          '\x1b[2;3H',
          '\x1b[3b',
          '\x1b[2@',
          '\x1b[1A',
          '\x1b[K',
          '\x1b]0;日—\x07',
        ],
        ...[
          '\x1b[4h',
          '\x1b[4l',
          '\x1b[2;4r',
          '\x1b[?6h',
          '\x1b[2m',
          '\x1b[1m',
          '\x1b[53m',
          '\x1b7',
          '\x1b8',
          '\x1b[?1049h',
          '\x1b[?1049l',
        ],
      )
      .map(bytes),
  },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 4 }) },
);
