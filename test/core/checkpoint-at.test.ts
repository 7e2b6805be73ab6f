import { describe, expect, test } from 'vitest';
import { type CheckpointAt, checkpointAt } from '../../src/protocol/index.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();
/** A turn by its number, when it began and ended, in seconds, and how late its first checkpoint was. */
const turn = (number: number, began: number, ended: number | null, lateMs = 0) => ({
  number,
  began_at: at(began),
  ended_at: ended === null ? null : at(ended),
  late_ms: lateMs,
});

/** Writes a result as `3 end`, with the turns that are missing after it. */
function written(found: CheckpointAt): string {
  if (found.kind === 'none') return 'none';
  if (found.kind === 'too_early') return `before ${found.oldest.turn} ${found.oldest.state}`;
  const { checkpoint, missing } = found;
  return `${checkpoint.turn} ${checkpoint.state}${missing === null ? '' : ` without ${missing.from}-${missing.to}`}`;
}

const TURNS = [turn(1, 10, 20), turn(2, 30, 40), turn(3, 50, null)];

describe('the files of a moment', () => {
  test.each([
    ['before the first turn', TURNS, 9.999, 'before 1 begin'],
    ['as a turn begins', TURNS, 10, '1 begin'],
    ['while a turn runs', TURNS, 19.999, '1 begin'],
    ['as a turn ends', TURNS, 20, '1 end'],
    ['between two turns', TURNS, 29.999, '1 end'],
    ['as the next turn begins', TURNS, 30, '2 begin'],
    ['in the turn that is running', TURNS, 1_000, '3 begin'],
    ['without any turn', [], 15, 'none'],
    ['before a late first checkpoint', [turn(1, 10, 20, 2_000)], 11.999, 'before 1 begin'],
    ['after a late first checkpoint', [turn(1, 10, 20, 2_000)], 12, '1 begin'],
    ['where an end and a beginning have the same time', [turn(1, 10, 20), turn(2, 20, 30)], 20, '2 begin'],
    ['in a turn that took no time', [turn(1, 10, 10)], 10, '1 end'],
    ['after a turn whose end was not seen', [turn(1, 10, null), turn(2, 30, 40)], 29, '1 begin'],
    ['before the oldest turn that is kept', [turn(7, 70, 80)], 60, 'before 7 begin'],
    ['where only a rewind was kept', [turn(2, 20, 21), turn(6, 60, 70)], 50, '2 end without 3-5'],
    ['within that rewind', [turn(2, 20, 21), turn(6, 60, 70)], 20.5, '2 begin'],
    ['after the clock was set back', [turn(1, 100, 110), turn(2, 50, 60)], 70, '2 end'],
  ])('%s', (_, turns, second, expected) => {
    expect(written(checkpointAt(turns, second * 1_000))).toBe(expected);
  });
});
