import { describe, expect, test } from 'vitest';
import {
  type Attended,
  isUnreadBy,
  isWokenBy,
  lookAt,
  markUnread,
  observeStatus,
  type SnoozeRule,
  UNATTENDED,
} from '../../../src/core/attention/index.ts';

type Told = Parameters<typeof observeStatus>[1];
const of = (primary: Told['primary'], detail: Told['detail'] = null, question: Told['question'] = null): Told => ({
  primary,
  detail,
  question,
});
const WORKS = of('active', 'using_tools');
const DONE = of('idle', 'waiting_input');
const FAILED = of('idle', 'error');
const asks = (id: string): Told => of('waiting', 'permission', { id, kind: 'permission' });
const closes = (id: string): Told => of('waiting', 'question', { id, kind: 'closing' });
const DEAD = of('dead');
const UNKNOWN = of(null);

const following = (...told: Told[]): Attended => told.reduce((kept, one) => observeStatus(kept, one).after, UNATTENDED);
const last = (...told: Told[]): unknown => {
  const end = told.at(-1);
  return end === undefined ? [] : observeStatus(following(...told.slice(0, -1)), end).happened;
};

describe('news', () => {
  test.each<[string, Told[], number]>([
    ['a session that was never prompted', [of('idle', 'ready')], 0],
    ['the end of a turn', [WORKS, DONE], 1],
    ['a turn that failed', [WORKS, FAILED], 1],
    ['a turn that got stuck and ended', [WORKS, of('stuck'), DONE], 1],
    ['a question, however often it is reported', [WORKS, asks('q1'), asks('q1')], 1],
    ['another question of the same kind', [WORKS, asks('q1'), asks('q2')], 2],
    ['a question and the end of its turn', [WORKS, asks('q1'), WORKS, DONE], 2],
    ['a turn that ends with a question', [WORKS, closes('q1')], 1],
    ['a question that gets its id later', [WORKS, of('waiting', 'permission'), asks('q1')], 1],
    ['two questions without an id', [WORKS, of('waiting', 'plan'), WORKS, of('waiting', 'plan')], 2],
    ['a server that starts and has no earlier state', [WORKS, DONE, UNKNOWN, DONE], 1],
    ['a turn that ended while no server ran', [WORKS, UNKNOWN, DONE], 1],
    ['a turn cut off by the end of the session', [WORKS, DEAD], 1],
    ['a session that is stopped while idle', [WORKS, DONE, DEAD], 1],
    ['a session that is found idle', [DONE], 0],
  ])('%s', (_, told, news) => {
    expect(following(...told).news).toBe(news);
  });

  test('the same status again changes nothing, so nothing is stored', () => {
    for (const one of [WORKS, DONE, asks('q'), DEAD]) {
      const kept = following(one);
      expect(observeStatus(kept, one).after).toBe(kept);
    }
  });
});

describe('a look', () => {
  const unread = following(WORKS, DONE);

  test('clears what was shown, and nothing that came later', () => {
    expect(isUnreadBy(unread)).toBe(true);
    expect(isUnreadBy(lookAt(unread, 1))).toBe(false);
    const later = observeStatus(observeStatus(unread, WORKS).after, DONE).after;
    expect(isUnreadBy(lookAt(later, 1))).toBe(true);
    expect(isUnreadBy(lookAt(later, null))).toBe(false);
  });

  test('never goes backwards, and never beyond the existing news', () => {
    const seen = lookAt(unread, 1);
    expect(lookAt(seen, 0)).toBe(seen);
    expect(isUnreadBy(observeStatus(observeStatus(lookAt(unread, 99), WORKS).after, DONE).after)).toBe(true);
  });

  test('that is under way does not remove a mark, a later one does', () => {
    const marked = markUnread(lookAt(unread, 1));
    expect(isUnreadBy(marked)).toBe(true);
    expect(isUnreadBy(lookAt(marked, 1))).toBe(true);
    expect(isUnreadBy(lookAt(marked, marked.news))).toBe(false);
    expect(markUnread(marked)).toBe(marked);
  });
});

describe('a snooze', () => {
  const rule = (some: Partial<SnoozeRule>): SnoozeRule => ({
    since: 0,
    until: null,
    untilAsks: false,
    untilTurnEnds: false,
    untilEnds: [],
    ...some,
  });
  const woken = (some: Partial<SnoozeRule>, ...told: Told[]): boolean =>
    isWokenBy(rule(some), last(...told) as Parameters<typeof isWokenBy>[1]);

  test.each<[string, Partial<SnoozeRule>, Told[], boolean]>([
    ['until it asks: a new permission', { untilAsks: true }, [WORKS, asks('q1'), asks('q2')], true],
    ['until it asks: the permission that is already open', { untilAsks: true }, [WORKS, asks('q1'), asks('q1')], false],
    ['until it asks: a turn that ends', { untilAsks: true }, [WORKS, DONE], false],
    ['until it asks: a turn that fails, because it will not ask', { untilAsks: true }, [WORKS, FAILED], true],
    ['until it asks: a turn that ends with a question', { untilAsks: true }, [WORKS, closes('q')], true],
    ['until its turn ends', { untilTurnEnds: true }, [WORKS, DONE], true],
    ['until its turn ends: it fails', { untilTurnEnds: true }, [WORKS, FAILED], true],
    ['until its turn ends: it asks', { untilTurnEnds: true }, [WORKS, asks('q')], false],
    ['until a time: whatever happens', { until: 5 }, [WORKS, asks('q')], false],
    ['until a time: it is stopped', { until: 5 }, [WORKS, DEAD], false],
    ['until it asks: it is stopped', { untilAsks: true }, [WORKS, DEAD], true],
  ])('%s', (_, some, told, expected) => {
    expect(woken(some, ...told)).toBe(expected);
  });
});
