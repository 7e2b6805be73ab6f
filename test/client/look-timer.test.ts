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
  test('is one after a while, however often it is drawn meanwhile', () => {
    for (let passed = 0; passed < LOOK_MS; passed += 100) {
      timer.show(unread('AUTH'));
      clock.advance(100);
    }
    expect(looks).toEqual([['AUTH', 1]]);
    timer.show(unread('AUTH'));
    clock.advance(LOOK_MS);
    expect(looks).toHaveLength(1);
  });

  test('is none in passing, and none while nobody looks', () => {
    timer.show(unread('AUTH'));
    clock.advance(LOOK_MS - 1);
    timer.show(unread('DOCS'));
    clock.advance(LOOK_MS - 1);
    timer.show(null);
    clock.advance(LOOK_MS);
    expect(looks).toEqual([]);
  });

  test('at what has come meanwhile takes its own time', () => {
    timer.show(unread('AUTH', 1));
    clock.advance(LOOK_MS - 1);
    timer.show(unread('AUTH', 2));
    clock.advance(LOOK_MS - 1);
    expect(looks).toEqual([]);
    clock.advance(1);
    expect(looks).toEqual([['AUTH', 2]]);
  });

  test('leaves a mark that was made while it was shown, until the person comes to it anew', () => {
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

  test('is none at a session that has nothing new', () => {
    timer.show(read('AUTH'));
    clock.advance(LOOK_MS);
    timer.dispose();
    expect(looks).toEqual([]);
  });
});
