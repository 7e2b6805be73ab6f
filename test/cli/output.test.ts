import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlainText } from '../../src/cli/output/plain-text.ts';
import { displayWidth, padEnd, truncate } from '../../src/text/display-width.ts';
import { formatDuration } from '../../src/text/durations.ts';
import { shellQuote, shellWord } from '../../src/text/shell-word.ts';
import { cleanBlock, cleanLine, terminalJson } from '../../src/text/terminal-text.ts';

describe('the width of a text', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['한국어', 6],
    ['😀', 2],
    ['👩‍👩‍👧', 2],
    ['e\u0301', 1],
    ['❤️', 2],
    ['○ ● ✗ ⊘', 7],
    ['ｆｕｌｌ', 8],
    ['🇩🇪', 2],
    ['', 0],
  ])('%j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('is the same for a text that is measured at once and for one that is split into characters', () => {
    const wrong: string[] = [];
    for (let code = 0x20; code < 0x2800; code++) {
      if (code >= 0x7f && code < 0xa1) continue;
      const character = String.fromCodePoint(code);
      // The last character forces the text to be taken apart. The line feed keeps it from joining with the first
      // character.
      if (displayWidth(character) !== displayWidth(`${character}\n漢`) - 2) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('is limited to the requested width, and padded to it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, cells) => {
        const line = cleanLine(text);
        expect(displayWidth(truncate(line, cells))).toBeLessThanOrEqual(Math.max(cells, 0));
        expect(displayWidth(padEnd(truncate(line, cells), cells))).toBe(cells);
      }),
    );
  });

  test.each([
    ['Bash: make 世界', 14, 'Bash: make 世…'],
    ['Bash: make 世界', 13, 'Bash: make…'],
    ['short', 5, 'short'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%j in %i cells is %j', (text, cells, cut) => {
    expect(truncate(text, cells)).toBe(cut);
  });
});

describe('text for the terminal', () => {
  test('contains nothing that a terminal obeys, whatever it was', () => {
    const pieces = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0;',
      '\u0007',
      '\u009b',
      '31m',
      '\n',
      '\r',
      'a',
      '\u202e',
      '\u0090',
      '\u001b\\',
      '\t',
      '\u007f',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(cleanLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/);
        expect(cleanBlock(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });

  test('is unchanged if nothing had to be removed', () => {
    expect(cleanLine('fix [31m] the; 日本 — café 😀')).toBe('fix [31m] the; 日本 — café 😀');
    expect(cleanBlock('a\r\nb\tc')).toBe('a\nb    c');
  });

  test('JSON keeps its value', () => {
    const value = { text: '\u009b2J\u202e\u007f"\\\n' };
    expect(terminalJson(value)).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect(JSON.parse(terminalJson(value))).toEqual(value);
  });

  test('is one word for a shell', () => {
    expect(shellQuote(`it's $(x)`)).toBe(`'it'\\''s $(x)'`);
    expect(['/a/b-c.d', 'fix/login', ''].map(shellWord)).toEqual(['/a/b-c.d', 'fix/login', "''"]);
  });
});

describe('text from a stream', () => {
  const pieces = fc.constantFrom(
    'word',
    ' ',
    '\n',
    '\r\n',
    '\u001b[9G',
    '\u001b[3C',
    '\u001b[2J',
    '\u001b]0;t\u0007',
    '\u001b(B',
    '\u001b[31;1m',
    '\u001b]8;;x\u001b\\',
    '日',
    '\u202e',
  );

  test('is the same however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), fc.infiniteStream(fc.nat(5)), (parts, sizes) => {
        const input = parts.join('');
        const whole = new PlainText().read(input);
        const reader = new PlainText();
        let read = '';
        for (let at = 0; at < input.length; ) {
          const size = 1 + (sizes.next().value ?? 0);
          read += reader.read(input.slice(at, at + size));
          at += size;
        }
        expect(read).toBe(whole);
        expect(read).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });

  test('continues after a sequence that never ends', () => {
    const reader = new PlainText();
    reader.read(`\u001b]0;${'x'.repeat(10_000)}`);
    expect(reader.read('text')).toContain('text');
  });
});

test.each([
  [0, '0s'],
  [-5, '0s'],
  [59_999, '59s'],
  [61_000, '1m 01s'],
  [3_600_000, '1h 00m'],
  [90_061_000, '1d 1h'],
])('%i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
