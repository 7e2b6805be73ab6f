import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import xterm, { type Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameReader } from '../../../src/platform/emulator/frame-reader.ts';
import { coreOf } from '../../../src/platform/emulator/xterm-core.ts';
import { anyOutput } from './any-output.ts';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));

function open(size: { cols: number; rows: number }, scrollback = 5): Terminal {
  return new xterm.Terminal({ ...size, scrollback, allowProposedApi: true, logLevel: 'off' });
}

const write = (terminal: Terminal, output: string | Uint8Array): void => coreOf(terminal).writeSync(output);

/** Returns the frame of a reader that has read nothing before. */
const fresh = (terminal: Terminal) => createFrameReader(terminal).frame();

const output = fc.oneof(
  { weight: 6, arbitrary: anyOutput },
  // Rows that scroll away and come back, and characters that join the previous one.
  fc
    .constantFrom('\n\n\n', '\x1b[2S', '\x1b[L', '\x1b[M', '\x1b[2J\x1b[H', '\u0301', '\u20dd')
    .map((text) => Buffer.from(text)),
);
const size = fc.record({ cols: fc.integer({ min: 2, max: 12 }), rows: fc.integer({ min: 1, max: 6 }) });

test('a frame equals that of a first reading, whatever was drawn since the last one', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 12, arbitrary: output }, size), { maxLength: 40 }), (steps) => {
      const terminal = open({ cols: 9, rows: 5 });
      const reader = createFrameReader(terminal);
      for (const step of steps) {
        if (step instanceof Uint8Array) write(terminal, step);
        else terminal.resize(step.cols, step.rows);
        expect(reader.frame()).toEqual(fresh(terminal));
        expect(reader.texts()).toEqual(fresh(terminal).lines);
      }
      terminal.dispose();
    }),
    { numRuns: 300 },
  );
});

test.each(['1.0.128/permission', '2.0.77/ask', '2.1.330/long'])('along the recording %s too', (name) => {
  const all = readFileSync(`${RECORDINGS}/${name}.typescript`);
  const terminal = open({ cols: 100, rows: 30 }, 1_000);
  const reader = createFrameReader(terminal);
  for (let at = all.indexOf('\n') + 1; at < all.length; at += 300) {
    write(terminal, all.subarray(at, at + 300));
    expect(reader.frame()).toEqual(fresh(terminal));
  }
});

test('a row is read again when it changes and when it changes back, and otherwise never twice', () => {
  const terminal = open({ cols: 20, rows: 4 });
  const reader = createFrameReader(terminal);
  write(terminal, 'first\r\nsecond\r\nthird');
  const read: string[] = [];
  const { getLine } = Object.getPrototypeOf(terminal.buffer.active) as { getLine(row: number): unknown };
  Object.defineProperty(terminal.buffer.active, 'getLine', {
    value: (row: number) => {
      const line = getLine.call(terminal.buffer.active, row) as { translateToString(trim: boolean): string };
      read.push(line.translateToString(true));
      return line;
    },
  });
  const readNow = (): { lines: readonly string[]; read: string[] } => {
    const { lines } = reader.frame();
    return { lines, read: read.splice(0) };
  };
  expect(readNow()).toEqual({ lines: ['first', 'second', 'third', ''], read: ['first', 'second', 'third', ''] });
  write(terminal, '\x1b[2;1Hanother');
  expect(readNow()).toEqual({ lines: ['first', 'another', 'third', ''], read: ['another'] });
  write(terminal, '\x1b[2;1H\x1b[Ksecond');
  expect(readNow()).toEqual({ lines: ['first', 'second', 'third', ''], read: ['second'] });
  // The reader recognizes rows that have moved up.
  write(terminal, '\x1b[4;1H\nlast');
  expect(readNow()).toEqual({ lines: ['second', 'third', '', 'last'], read: ['last'] });
  // The colour of a sign matters, even though its text is the same.
  write(terminal, '\x1b[1;1H\x1b[31m●\x1b[m');
  readNow();
  write(terminal, '\x1b[1;1H\x1b[38;5;220m●\x1b[m');
  expect(reader.frame().alertRows).toEqual([0]);
});

test('a character that joins another one is noticed, although the cell is the same', () => {
  const terminal = open({ cols: 20, rows: 2 });
  const reader = createFrameReader(terminal);
  write(terminal, 'e\u0301');
  expect(reader.frame().lines[0]).toBe('e\u0301');
  write(terminal, '\u0302');
  expect(reader.frame().lines[0]).toBe('e\u0301\u0302');
});
