import { beforeEach, describe, expect, test } from 'vitest';
import { type CountQueue, createCountQueue } from '../../../src/server/changes/count-queue.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

let clock: ManualClock;
let queue: CountQueue;
let began: string[];
let end: (() => void) | null;
beforeEach(() => {
  clock = new ManualClock();
  began = [];
  end = null;
  queue = createCountQueue({
    clock,
    count: (folder) => {
      began.push(folder);
      return new Promise((resolve) => {
        end = resolve;
      });
    },
  });
});

/** Lets the running count end after some time. */
async function finish(afterMs: number): Promise<void> {
  clock.advance(afterMs);
  end?.();
  await Promise.resolve();
}

describe('the folders of sessions', () => {
  test('are counted one after the other, and once for all earlier requests', async () => {
    queue.request('/a', 'now');
    queue.request('/b', 'now');
    queue.request('/b', 'later');
    queue.request('/b', 'now');
    expect(began).toEqual(['/a']);
    await finish(0);
    expect(began).toEqual(['/a', '/b']);
    queue.request('/b', 'now');
    await finish(0);
    expect(began).toEqual(['/a', '/b', '/b']);
    await finish(0);
    clock.advance(60_000);
    expect(began).toHaveLength(3);
  });

  test('come first if a turn has ended in them', async () => {
    queue.request('/a', 'now');
    queue.request('/b', 'later');
    queue.request('/c', 'now');
    await finish(0);
    expect(began).toEqual(['/a', '/c']);
  });

  test('that take long are counted for at most a fifth of the time', async () => {
    queue.request('/large', 'now');
    await finish(1_000);
    queue.request('/large', 'now');
    queue.request('/small', 'now');
    expect(began).toEqual(['/large', '/small']);
    await finish(0);
    clock.advance(3_999);
    expect(began).toHaveLength(2);
    clock.advance(1);
    expect(began).toEqual(['/large', '/small', '/large']);
  });

  test('are counted rarely in the middle of turns, and all of them together for at most a tenth of the time', async () => {
    queue.request('/a', 'later');
    queue.request('/b', 'later');
    await finish(100);
    clock.advance(899);
    expect(began).toEqual(['/a']);
    clock.advance(1);
    expect(began).toEqual(['/a', '/b']);
    await finish(0);
    queue.request('/a', 'later');
    clock.advance(4_099);
    expect(began).toHaveLength(2);
    clock.advance(1);
    expect(began).toEqual(['/a', '/b', '/a']);
  });

  test('are not counted any more after the end, which waits for the running count', async () => {
    queue.request('/a', 'now');
    queue.request('/b', 'now');
    let isOver = false;
    const over = queue.dispose().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    await finish(0);
    await over;
    expect(began).toEqual(['/a']);
  });
});
