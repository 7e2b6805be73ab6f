import { describe, expect, test } from 'vitest';
import { type AgedTurn, DELETED_KEPT_MS, outdatedTurns, type TurnBounds } from '../../src/core/turns/outdated.ts';

const NOW = 1_800_000_000_000;
const turnsOf = (session: string, count: number, some: Partial<AgedTurn> = {}): AgedTurn[] =>
  Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    session,
    kind: 'turn',
    beganAt: NOW - 1_000,
    endedAt: NOW - 500,
    ...some,
  }));
const BOUNDS: TurnBounds = { now: NOW, kept: 3, isListed: (id) => id === 'listed', hasFiles: () => true };
const numbers = (turns: readonly AgedTurn[]): number[] => turns.map(({ number }) => number);

describe('turns are forgotten', () => {
  test('of a listed session if there are more than are kept, the oldest first', () => {
    expect(numbers(outdatedTurns(turnsOf('listed', 3), BOUNDS))).toEqual([]);
    expect(numbers(outdatedTurns(turnsOf('listed', 5), BOUNDS))).toEqual([1, 2]);
  });

  test('but never the files from before a rewind, and those do not count', () => {
    const [first, ...others] = turnsOf('listed', 5);
    if (first === undefined) throw new Error();
    expect(numbers(outdatedTurns([{ ...first, kind: 'rewind' }, ...others], BOUNDS))).toEqual([2]);
  });

  test('of a deleted session after a month, except the last ones of a working tree that is gone', () => {
    const old = { beganAt: NOW - DELETED_KEPT_MS - 1, endedAt: null };
    expect(numbers(outdatedTurns(turnsOf('deleted', 9), BOUNDS))).toEqual([]);
    expect(numbers(outdatedTurns(turnsOf('deleted', 3, old), BOUNDS))).toEqual([1, 2, 3]);
    expect(numbers(outdatedTurns(turnsOf('deleted', 3, old), { ...BOUNDS, hasFiles: () => false }))).toEqual([1, 2]);
  });
});
