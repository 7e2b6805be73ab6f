import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SafeOutput } from '../../../src/core/recording/index.ts';

const DRAWS = [
  'text, é 漢 😀\r\n\t\b',
  '\u001b[1;31mred\u001b[0m',
  '\u001b[2J\u001b[H\u001b[K\u001b[3;4H\u001b[5C\u001b[2A',
  '\u001b[?25l\u001b[?7h\u001b[?1049h',
  '\u001b7\u001b8\u001bM\u001b(0\u001b(B\u001b[r',
  '\u001b[2 q',
];

const ACTS: [what: string, sequence: string, left: string][] = [
  ['the clipboard', '\u001b]52;c;ZXZpbA==\u0007', ''],
  ['the clipboard, ended by ST', '\u001b]52;c;?\u001b\\', ''],
  ['a title', '\u001b]0;title\u0007', ''],
  ['a link', '\u001b]8;;http://evil\u001b\\shown\u001b]8;;\u001b\\', 'shown'],
  ['device attributes', '\u001b[c\u001b[>c\u001b[=c\u001bZ', ''],
  ['status reports', '\u001b[5n\u001b[6n\u001b[?6n', ''],
  ['window reports and sizes', '\u001b[21t\u001b[8;1;1t', ''],
  ['queries in DCS', '\u001bP$qm\u001b\\\u001bP+q544e\u001b\\', ''],
  ['mode queries', '\u001b[?2026$p\u001b[>q\u001b[?u\u001b[>1u', ''],
  ['mouse, focus and paste modes', '\u001b[?1000;1006h\u001b[?1004h\u001b[?2004h', ''],
  ['marks that reorder text', '\u202ea\u2066b\u200f', 'ab'],
  ['an answerback', '\u0005', ''],
  ['the bell', '\u0007', ''],
  ['C1 forms', '\u009b6n\u009d52;c;eA==\u009c\u0090$qm\u009c', ''],
  ['a cleared scrollback', '\u001b[3J', ''],
  ['media copy and programmable keys', '\u001b[5i\u001b[?5i\u001b_apc\u001b\\', ''],
  ['counts that are larger than every screen', '\u001b[2147483647S\u001b[1;99999H', '\u001b[9999S\u001b[1;9999H'],
  ['a string that is cut off', '\u001b]0;a\u0018b', 'b'],
  ['a string before another sequence', '\u001b]0;a\u001b[1mb', '\u001b[1mb'],
  ['hidden modes next to harmless ones', '\u001b[?25;1000h', '\u001b[?25h'],
];

describe('output that is safe for a terminal', () => {
  test.each(DRAWS)('keeps what draws: %j', (text) => {
    expect(new SafeOutput().read(text)).toBe(text);
  });

  test.each(ACTS)('removes %s', (_what, sequence, left) => {
    expect(new SafeOutput().read(`<${sequence}>`)).toBe(`<${left}>`);
  });

  test('a reset becomes an empty screen', () => {
    expect(new SafeOutput().read('\u001bc')).toBe('\u001b[0m\u001b[r\u001b[2J\u001b[H');
  });

  test('an endless string is not kept in memory, and the text after it is shown', () => {
    const safe = new SafeOutput();
    for (let piece = 0; piece < 100; piece++)
      expect(safe.read(piece === 0 ? '\u001b]52;c;' : 'A'.repeat(1_000))).toBe('');
    expect(safe.read('A\u0007after')).toBe('after');
  });

  test('any split gives the same', () => {
    const whole = fc
      .array(fc.constantFrom(...DRAWS, ...ACTS.map(([, sequence]) => sequence)), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(whole, fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const safe = new SafeOutput();
        const pieces = at.slice(1).map((end, index) => safe.read(text.slice(at[index], end)));
        expect(pieces.join('')).toBe(new SafeOutput().read(text));
      }),
    );
  });
});
