import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitUtf8 } from '../../../src/core/recording/utf8.ts';
import { continuationLength, unfinishedLength } from '../../../src/core/stream/index.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');

describe('the place from which a client can continue after a snapshot', () => {
  test.each([
    ['text only', 'hello\r\n', 0],
    ['a finished colour', '\x1b[31mred', 0],
    ['a lone ESC', 'text\x1b', 1],
    ['a CSI without its last letter', 'text\x1b[38;5;1', 8],
    ['a charset without its name', 'text\x1b(', 2],
    ['a finished charset', 'text\x1b(B', 0],
    ['a title that is still being written', 'a\x1b]0;Claude', 10],
    ['a title ended by BEL', 'a\x1b]0;Claude\x07', 0],
    ['a title ended by ST', 'a\x1b]0;Claude\x1b\\', 0],
    ['a title with half of its ST', 'a\x1b]0;Claude\x1b', 11],
    ['a device control string', 'a\x1bP1$r', 5],
    ['a sequence that CAN abandoned', 'a\x1b[12\x18text', 0],
    ['an ESC that abandons a CSI and begins another', 'a\x1b[12\x1b[3', 3],
    ['save cursor', 'a\x1b7', 0],
    ['half a character that ends an escape sequence', 'a\x1b\xe6', 2],
    ['half a character that ends a CSI', 'a\x1b[1\xe6\x97', 5],
    ['half a character behind a finished sequence', 'a\x1b[m\xe6', 1],
    ['a line feed inside a CSI', 'a\x1b[1\n2', 5],
  ])('%s', (_, text, expected) => {
    expect(unfinishedLength(bytes(text))).toBe(expected);
  });

  test('half a character is not finished either', () => {
    expect(unfinishedLength(utf8('❯').subarray(0, 2))).toBe(2);
    expect(unfinishedLength(utf8('a❯'))).toBe(0);
  });

  const token = fc.oneof(
    fc.constantFrom(
      '\x1b[2J',
      '\x1b[1;31m',
      '\x1b]0;title\x07',
      '\x1b]8;;http://x\x1b\\',
      '\x1b7',
      '\x1b(B',
      '\x1b[?25l',
    ),
    fc.string({ minLength: 1, maxLength: 1, unit: fc.constantFrom('a', ' ', 'é', '❯', '🙂', '\r', '\n') }),
  );
  test('any cut goes back to the beginning of the token that it splits, and no further', () => {
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 30 }), fc.nat(), (tokens, at) => {
        const whole = utf8(tokens.join(''));
        const cut = at % (whole.length + 1);
        let begin = 0;
        for (const one of tokens) {
          const next = begin + utf8(one).length;
          if (next > cut) break;
          begin = next;
        }
        expect(unfinishedLength(whole.subarray(0, cut))).toBe(cut - begin);
      }),
    );
  });
});

describe('the text of a byte stream', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => new Uint8Array(utf8(text))),
    fc.constantFrom(new Uint8Array([0xe0, 0x80]), new Uint8Array([0xf0, 0x9f]), new Uint8Array([0xed, 0xa0, 0x80])),
  );
  test('is the same however it was split, and each offset gives the number of bytes in the text', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        let carry: Uint8Array = new Uint8Array();
        let text = '';
        let offset = 0;
        for (const one of chunks) {
          const { complete, rest } = splitUtf8(Buffer.concat([carry, one]));
          text += Buffer.from(complete).toString();
          offset += complete.length;
          carry = rest;
          expect(text).toBe(Buffer.concat(chunks).subarray(0, offset).toString());
        }
        expect(text + Buffer.from(carry).toString()).toBe(Buffer.concat(chunks).toString());
      }),
    );
  });

  test('begins with a whole character wherever it was cut', () => {
    const whole = utf8('a❯🙂b');
    for (let cut = 0; cut <= whole.length; cut++) {
      const rest = whole.subarray(cut);
      expect(Buffer.from(rest.subarray(continuationLength(rest))).toString()).not.toContain('\ufffd');
    }
    expect(continuationLength(new Uint8Array([0x80, 0x80, 0x80, 0x80]))).toBe(3);
  });
});
