import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  acknowledged,
  allowedLag,
  beginning,
  FRAME_BYTES,
  MAX_LAG_BYTES,
  nextStep,
  type Standing,
  WINDOW_BYTES,
} from '../../../src/core/stream/index.ts';

const MiB = 1024 * 1024;
const standing = (some: Partial<Standing>): Standing => ({
  position: 1000,
  end: 1000,
  ackedTo: null,
  allowedLagBytes: MAX_LAG_BYTES,
  congested: false,
  ...some,
});

describe('what a subscriber is sent next', () => {
  test.each<[string, Partial<Standing>, ReturnType<typeof nextStep>]>([
    ['nothing while there is no output', {}, { kind: 'live' }],
    ['all output in one frame', { end: 1200 }, { kind: 'chunk', to: 1200 }],
    ['one frame of much output', { end: 1000 + 3 * FRAME_BYTES }, { kind: 'chunk', to: 1000 + FRAME_BYTES }],
    ['nothing while the connection is full', { end: 1200, congested: true }, { kind: 'wait' }],
    ['nothing beyond its window', { end: MiB, position: 1000 + WINDOW_BYTES, ackedTo: 1000 }, { kind: 'wait' }],
    [
      'only as much as its window has room for',
      { position: WINDOW_BYTES, end: WINDOW_BYTES + 900, ackedTo: 100 },
      { kind: 'chunk', to: WINDOW_BYTES + 100 },
    ],
    ['a snapshot when it is too far behind', { end: 1001 + MAX_LAG_BYTES }, { kind: 'snapshot' }],
    ['no snapshot while it accepts nothing', { end: 9 * MiB, congested: true }, { kind: 'wait' }],
    [
      'the output that it asked for, however far behind it began',
      { position: 0, end: 9 * MiB, allowedLagBytes: allowedLag(0, 9 * MiB) },
      { kind: 'chunk', to: FRAME_BYTES },
    ],
  ])('%s', (_, some, expected) => {
    expect(nextStep(standing(some))).toEqual(expected);
  });
});

describe('where a subscription begins', () => {
  const recording = { start: 100, end: 500 };
  test.each<[string, number | undefined, ReturnType<typeof beginning>]>([
    ['with a snapshot, when no offset is named', undefined, { kind: 'snapshot' }],
    ['at the offset', 300, { kind: 'offset', position: 300 }],
    ["at the output's beginning, when the offset lies in the header line", 7, { kind: 'offset', position: 100 }],
    ['at the end', 500, { kind: 'offset', position: 500 }],
    ['with a snapshot, when the offset is beyond the end', 501, { kind: 'snapshot' }],
  ])('%s', (_, from, expected) => {
    expect(beginning(from, recording)).toEqual(expected);
  });
});

test('an acknowledgement never goes back, and never beyond what was sent', () => {
  expect(acknowledged(null, 50, 100)).toBe(50);
  expect(acknowledged(80, 50, 100)).toBe(80);
  expect(acknowledged(80, 5000, 100)).toBe(100);
});

test('whatever a session writes and a client acknowledges: no gap, no repetition, never more than a window ahead', () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('output' as const), bytes: fc.integer({ min: 1, max: MiB }) }),
    fc.record({ kind: fc.constant('ack' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let end = 0;
      let position = 0;
      let ackedTo = 0;
      let allowedLagBytes = MAX_LAG_BYTES;
      for (const one of events) {
        if (one.kind === 'output') end += one.bytes;
        else ackedTo = acknowledged(ackedTo, Math.floor(position * one.share), position);
        for (;;) {
          const step = nextStep({ position, end, ackedTo, allowedLagBytes, congested: false });
          if (step.kind === 'live') allowedLagBytes = MAX_LAG_BYTES;
          if (step.kind === 'live' || step.kind === 'wait') break;
          if (step.kind === 'snapshot') {
            expect(end - position).toBeGreaterThan(MAX_LAG_BYTES);
            position = end;
            ackedTo = Math.max(ackedTo, end);
            continue;
          }
          expect(step.to).toBeGreaterThan(position);
          position = step.to;
          expect(position - ackedTo).toBeLessThanOrEqual(WINDOW_BYTES);
          expect(position).toBeLessThanOrEqual(end);
        }
      }
    }),
  );
});
