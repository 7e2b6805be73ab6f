import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CastEvent, castHeaderLine, createCastWriter } from '../../../src/core/recording/index.ts';

const HEADER = { cols: 100, rows: 30, timestamp: 1_795_187_302, title: 'AUTH', term: 'screen-256color' };
const EVENTS: CastEvent[] = [
  { kind: 'output', at: 0.25, text: 'a\u001b[1m"é\u0000' },
  { kind: 'resize', at: 1.5, cols: 80, rows: 24 },
  { kind: 'output', at: 1.5, text: 'b' },
  { kind: 'exit', at: 2, code: 3 },
];

const linesOf = (version: 2 | 3): unknown[] => {
  const write = createCastWriter(version);
  return EVENTS.map(write)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

describe('asciicast', () => {
  test('v2 has the size at the top level, TERM in its environment, and times from the start', () => {
    expect(JSON.parse(castHeaderLine(HEADER, 2))).toEqual({
      version: 2,
      width: 100,
      height: 30,
      timestamp: 1_795_187_302,
      title: 'AUTH',
      env: { TERM: 'screen-256color' },
    });
    expect(linesOf(2)).toEqual([
      [0.25, 'o', 'a\u001b[1m"é\u0000'],
      [1.5, 'r', '80x24'],
      [1.5, 'o', 'b'],
    ]);
  });

  test('v3 has a terminal, times since the previous event, and the exit', () => {
    expect(JSON.parse(castHeaderLine(HEADER, 3))).toEqual({
      version: 3,
      term: { cols: 100, rows: 30, type: 'screen-256color' },
      timestamp: 1_795_187_302,
      title: 'AUTH',
    });
    expect(linesOf(3)).toEqual([
      [0.25, 'o', 'a\u001b[1m"é\u0000'],
      [1.25, 'r', '80x24'],
      [0, 'o', 'b'],
      [0.5, 'x', '3'],
    ]);
  });

  test('unknown facts are left out', () => {
    const unknown = { ...HEADER, timestamp: null, term: null };
    expect(JSON.parse(castHeaderLine(unknown, 2))).toEqual({ version: 2, width: 100, height: 30, title: 'AUTH' });
    expect(JSON.parse(castHeaderLine(unknown, 3))).toEqual({
      version: 3,
      term: { cols: 100, rows: 30 },
      title: 'AUTH',
    });
  });

  test('the intervals of v3 add up to the times of v2, however many there are', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 200 }), (delays) => {
        const writers = [createCastWriter(2), createCastWriter(3)] as const;
        let at = 0;
        let sum = 0;
        for (const delay of delays) {
          at += delay;
          const [two, three] = writers.map((write) => JSON.parse(write({ kind: 'output', at, text: '' }))[0] as number);
          sum += three ?? 0;
          expect(sum).toBeCloseTo(two ?? 0, 6);
          expect(two).toBeCloseTo(at, 5);
        }
      }),
    );
  });
});
