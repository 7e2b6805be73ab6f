import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  incompleteUtf8Tail,
  parseHeader,
  parseTiming,
  parseTimingLine,
  parseTrailer,
  splitUtf8,
} from '../../../src/core/recording/index.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a character is held back only while it is incomplete', () => {
  const table: [number[], number][] = [
    [[], 0],
    [[0x41], 0],
    [[0xc3], 1],
    [[0xc3, 0xa9], 0],
    [[0xe2], 1],
    [[0xe2, 0x9d], 2],
    [[0xe2, 0x9d, 0xaf], 0],
    [[0xf0, 0x9f], 2],
    [[0xf0, 0x9f, 0xa4], 3],
    [[0xf0, 0x9f, 0xa4, 0xb7], 0],
    // These are never valid, so waiting is pointless: overlong, surrogate, beyond U+10FFFF, a lone continuation, no
    // lead byte.
    [[0xc0], 0],
    [[0xe0, 0x80], 0],
    [[0xed, 0xa0], 0],
    [[0xf4, 0x90], 0],
    [[0xf5], 0],
    [[0x80, 0x80, 0x80], 0],
    [[0xff], 0],
    [[0x41, 0xe2, 0x41], 0],
  ];
  for (const [input, expected] of table)
    expect([input, incompleteUtf8Tail(Uint8Array.from(input))]).toEqual([input, expected]);
});

test('any bytes, split into any chunks, give the same text as the whole', () => {
  const chunked = fc.array(fc.oneof(fc.uint8Array({ maxLength: 6 }), fc.string({ unit: 'binary' }).map(bytes)));
  fc.assert(
    fc.property(chunked, (chunks) => {
      const whole = Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      let rest: Uint8Array = new Uint8Array();
      let text = '';
      for (const chunk of chunks) {
        const split = splitUtf8(Uint8Array.from([...rest, ...chunk]));
        text += decoder.decode(split.complete);
        rest = split.rest;
        expect(rest.length).toBeLessThan(4);
      }
      expect(text + decoder.decode(rest)).toBe(decoder.decode(whole));
    }),
  );
});

test('the header of script gives the size and where the output begins', () => {
  const line =
    'Script started on 2026-11-20 15:09:33+00:00 [COMMAND="claude" TERM="screen-256color" TTY="/dev/pts/4" COLUMNS="100" LINES="30"]\n';
  expect(parseHeader(bytes(`${line}\x1b[?25l`))).toEqual({
    kind: 'header',
    header: { end: line.length, cols: 100, rows: 30, term: 'screen-256color' },
  });
  for (let length = 0; length < line.length; length++) {
    expect(parseHeader(bytes(line.slice(0, length))).kind).toBe('incomplete');
  }
});

test('a command in the header can neither forge the size nor end the line', () => {
  const line =
    'Script started on X [COMMAND="a COLUMNS="1" LINES="2"\nb é" TERM="x" TTY="/dev/pts/4" COLUMNS="100" LINES="30"]\n';
  expect(parseHeader(bytes(line))).toEqual({
    kind: 'header',
    header: { end: bytes(line).length, cols: 100, rows: 30, term: 'x' },
  });
});

test('older headers and headers without a terminal have no size, other files have no header', () => {
  const plain = 'Script started on Fri 20 Nov 2026 03:09:33 PM UTC\n';
  expect(parseHeader(bytes(`${plain}x`))).toEqual({
    kind: 'header',
    header: { end: plain.length, cols: null, rows: null, term: null },
  });
  const pipe = 'Script started on 2026-11-20 15:09:33+00:00 [COMMAND="true" <not executed on terminal>]\n';
  expect(parseHeader(bytes(pipe))).toMatchObject({ kind: 'header', header: { cols: null } });
  expect(parseHeader(bytes('\x1b[2JScript started on '))).toEqual({ kind: 'none' });
  expect(parseHeader(bytes('Scripts are fine\n'))).toEqual({ kind: 'none' });
});

test('only the last line of script gives the exit code', () => {
  const output = 'abc\nScript done on the moon\n';
  const trailer = '\nScript done on 2026-11-20 15:09:40+00:00 [COMMAND_EXIT_CODE="127"]\n';
  expect(parseTrailer(bytes(output + trailer))).toEqual({ start: output.length, exitCode: 127 });
  expect(parseTrailer(bytes(`${output + trailer}more`))).toBeNull();
  expect(parseTrailer(bytes('abc'))).toBeNull();
});

test('timing rows of both formats are read', () => {
  expect(parseTimingLine('0.282638 13')).toEqual({ kind: 'output', delay: 0.282638, bytes: 13 });
  expect(parseTimingLine('O 0.5 13')).toEqual({ kind: 'output', delay: 0.5, bytes: 13 });
  expect(parseTimingLine('0,5 13')).toEqual({ kind: 'output', delay: 0.5, bytes: 13 });
  expect(parseTimingLine('S 1.0 SIGWINCH ROWS=30 COLS=100')).toEqual({ kind: 'resize', delay: 1, cols: 100, rows: 30 });
  expect(parseTimingLine('S 1.0 SIGTERM')).toEqual({ kind: 'other', delay: 1 });
  expect(parseTimingLine('H 0.000000 TERM screen-256color')).toEqual({ kind: 'other', delay: 0 });
  expect(parseTimingLine('I 0.25 4')).toEqual({ kind: 'other', delay: 0.25 });
  for (const line of ['', 'x', '0.5', 'O 0.5', '0.5 x', 'Script started']) expect(parseTimingLine(line)).toBeNull();
});

test('a timing file with a cut-off last row keeps everything before it', () => {
  const text = 'H 0.000000 COLUMNS 133\nH 0.000000 LINES 41\nO 0.1 5\nS 0.2 SIGWINCH ROWS=20 COLS=60\nO 0.3 7\nO 0.';
  expect(parseTiming(text)).toEqual({
    entries: [
      { kind: 'other', delay: 0 },
      { kind: 'other', delay: 0 },
      { kind: 'output', delay: 0.1, bytes: 5 },
      { kind: 'resize', delay: 0.2, cols: 60, rows: 20 },
      { kind: 'output', delay: 0.3, bytes: 7 },
    ],
    headers: { cols: 133, rows: 41 },
    skipped: 1,
  });
});
