import { describe, expect, test } from 'vitest';
import {
  changeSpeed,
  FASTEST,
  jumpTo,
  pause,
  positionOf,
  type ReplayPace,
  reach,
  readReplayKeys,
  startClock,
  togglePause,
  waitUntilDue,
} from '../../../src/core/recording/index.ts';

/** Returns when each of the recording's times is written, by the wall clock. */
function written(times: readonly number[], pace: ReplayPace, from = 0): number[] {
  let now = 0;
  let clock = jumpTo(startClock(pace, now), from, now);
  return times
    .filter((at) => at > from)
    .map((at) => {
      now += waitUntilDue(clock, at, now) ?? Number.NaN;
      clock = reach(clock, at, now);
      return now;
    });
}

const EVERYTHING = { speed: 1, idleLimitMs: null };

describe('the clock of a replay', () => {
  test.each([
    ['as it was', EVERYTHING, 0, [0, 100, 5_100, 5_100]],
    ['twice as fast', { speed: 2, idleLimitMs: null }, 0, [0, 50, 2_550, 2_550]],
    ['silence cut short', { speed: 1, idleLimitMs: 1_000 }, 0, [0, 100, 1_100, 1_100]],
    ['cut short, then twice as fast', { speed: 2, idleLimitMs: 1_000 }, 0, [0, 50, 550, 550]],
    ['no silence at all', { speed: 1, idleLimitMs: 0 }, 0, [0, 0, 0, 0]],
    ['from within a silence', EVERYTHING, 5_000, [100, 100]],
  ])('%s', (_name, pace, from, expected) => {
    expect(written([1e-9, 100, 5_100, 5_100], pace, from).map(Math.round)).toEqual(expected);
  });

  test('a late timer is made up for, a long delay is not', () => {
    let clock = reach(startClock(EVERYTHING, 0), 100, 130);
    expect(waitUntilDue(clock, 200, 130)).toBe(70);
    clock = reach(startClock(EVERYTHING, 0), 100, 5_000);
    expect(waitUntilDue(clock, 200, 5_000)).toBe(100);
  });

  test('a pause takes no time of the recording', () => {
    let clock = togglePause(startClock(EVERYTHING, 0), 40);
    expect(waitUntilDue(clock, 100, 10_000)).toBeNull();
    expect(positionOf(clock, 10_000)).toBe(40);
    clock = togglePause(clock, 10_000);
    expect(waitUntilDue(clock, 100, 10_000)).toBe(60);
  });

  test('a step while paused stays paused, at the time of the output shown', () => {
    const clock = reach(pause(startClock(EVERYTHING, 0), 10), 2_000, 20);
    expect(positionOf(clock, 99)).toBe(2_000);
    expect(waitUntilDue(togglePause(clock, 99), 2_100, 99)).toBe(100);
  });

  test('another speed applies from now on, within limits', () => {
    const clock = changeSpeed(startClock(EVERYTHING, 0), 2, 50);
    expect(waitUntilDue(clock, 100, 50)).toBe(25);
    expect(changeSpeed(clock, 1_000_000, 50).speed).toBe(FASTEST);
  });

  test('a jump never goes before the beginning', () => {
    expect(positionOf(jumpTo(startClock(EVERYTHING, 0), -5_000, 70), 70)).toBe(0);
  });

  test('keys are recognized as they arrive, even several at once, and nothing else is a key', () => {
    expect(readReplayKeys(' .+=-fq\u0003')).toEqual([
      'pause',
      'step',
      'faster',
      'faster',
      'slower',
      'files',
      'quit',
      'quit',
    ]);
    expect(readReplayKeys('\u001b[D\u001b[C\u001bOD\u001bOC')).toEqual(['back', 'forward', 'back', 'forward']);
    expect(readReplayKeys('\u001b[A\u001b[1;5q\u001b[200~xyz')).toEqual([]);
  });
});
