import { beforeEach, describe, expect, test } from 'vitest';
import { createLookTimer, LOOK_MS, type LookTimer } from '../../src/client/index.ts';
import { ManualClock } from '../harness/manual-clock.ts';

let clock: ManualClock;
let looks: [slug: string, news: number][];
let timer: LookTimer;
beforeEach(() => {
  clock = new ManualClock();
  looks = [];
  const startTimer = (work: () => void, delayMs: number) => clock.after(delayMs, work);
  timer = createLookTimer({ startTimer, onLook: (slug, news) => void looks.push([slug, news]) });
});

const unread = (slug: string, news = 1, marked_unread = false) => ({ slug, news, unread: true, marked_unread });
const read = (slug: string, news = 1) => ({ slug, news, unread: false, marked_unread: false });

describe('a look', () => {
  test('counts after a while, however often the session is drawn in that time', () => {
    for (let passed = 0; passed < LOOK_MS; passed += 100) {
      timer.show(unread('AUTH'));
      clock.advance(100);
    }
    expect(looks).toEqual([['AUTH', 1]]);
    timer.show(unread('AUTH'));
    clock.advance(LOOK_MS);
    expect(looks).toHaveLength(1);
  });

  test('does not count in passing, nor while nobody looks', () => {
    timer.show(unread('AUTH'));
    clock.advance(LOOK_MS - 1);
    timer.show(unread('DOCS'));
    clock.advance(LOOK_MS - 1);
    timer.show(null);
    clock.advance(LOOK_MS);
    expect(looks).toEqual([]);
  });

  test('at something new needs its own time', () => {
    timer.show(unread('AUTH', 1));
    clock.advance(LOOK_MS - 1);
    timer.show(unread('AUTH', 2));
    clock.advance(LOOK_MS - 1);
    expect(looks).toEqual([]);
    clock.advance(1);
    expect(looks).toEqual([['AUTH', 2]]);
  });

  test('keeps a mark that was made while the session was shown, until the person comes back to it', () => {
    timer.show(read('AUTH'));
    timer.show(unread('AUTH', 2, true));
    clock.advance(LOOK_MS);
    expect(looks).toEqual([]);
    timer.show(read('DOCS'));
    timer.show(unread('AUTH', 2, true));
    clock.advance(LOOK_MS);
    expect(looks).toEqual([['AUTH', 2]]);
    // A second mark is kept too.
    timer.show(read('AUTH', 2));
    timer.show(unread('AUTH', 3, true));
    clock.advance(LOOK_MS);
    expect(looks).toHaveLength(1);
  });

  test('does not count for a session that has nothing new', () => {
    timer.show(read('AUTH'));
    clock.advance(LOOK_MS);
    timer.dispose();
    expect(looks).toEqual([]);
  });
});
