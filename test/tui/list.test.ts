import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { alertCodes, alertsBetween } from '../../src/tui/alerts.ts';
import { createModel } from '../../src/tui/model.ts';
import { bestMatch, listedSessions, nextNeedy } from '../../src/tui/order.ts';
import { someSession } from '../harness/some-session.ts';

const { status } = someSession('X');
const SINCE = (minute: number): string => `2026-11-20T15:${String(minute).padStart(2, '0')}:00.000Z`;
const session = (slug: string, some: Partial<Session['status']>, state: Session['state'], minute: number): Session =>
  someSession(slug, { state, status: { ...status, ...some, since: SINCE(minute) } });

const waiting = (slug: string, minute: number) =>
  session(slug, { primary: 'waiting', detail: 'permission' }, 'waiting', minute);
const idle = (slug: string, minute: number) => session(slug, { primary: 'idle', detail: 'ready' }, 'idle', minute);
const working = (slug: string, minute: number) =>
  session(slug, { primary: 'active', detail: 'using_tools' }, 'working', minute);
const view = (...sessions: Session[]) => new Map(sessions.map((one) => [one.slug, one]));

test('sessions that wait come first, the longest first; stopped ones come last', () => {
  const dead = session('DEAD', { primary: 'dead', detail: null }, 'dead', 1);
  const stuck = session('STUCK', { primary: 'stuck', detail: null }, 'working', 2);
  const failed = session('FAILED', { primary: 'idle', detail: 'error' }, 'error', 3);
  const all = view(dead, idle('IDLE', 1), working('WORKS', 1), waiting('LATER', 9), stuck, failed, waiting('FIRST', 4));
  const slugs = (filter: string) => listedSessions(all, filter).map(({ slug }) => slug);
  expect(slugs('')).toEqual(['FIRST', 'LATER', 'FAILED', 'STUCK', 'WORKS', 'IDLE', 'DEAD']);
  expect(slugs('permission st')).toEqual(['FIRST']);
  expect(slugs('nothing like it')).toEqual([]);
});

test.each([
  ['auth', 'AUTH'],
  ['au', 'AUTH-2'],
  ['th', 'AUTH-2'],
  ['2', 'AUTH-2'],
  ['bill', null],
  [' ', null],
])('typing %j means %s: the whole name first, then its beginning, then any part of it', (typed, meant) => {
  const sessions = [someSession('OATH', { path: '/bill' }), someSession('AUTH-2'), someSession('AUTH')];
  expect(bestMatch(typed === 'th' ? sessions.slice(1) : sessions, typed)).toBe(meant);
});

test('Tab visits the sessions that need the person in turn', () => {
  const listed = listedSessions(view(waiting('A', 1), working('B', 1), waiting('C', 2)), '');
  expect(nextNeedy(listed, 'A')).toBe('C');
  expect(nextNeedy(listed, 'C')).toBe('A');
  expect(nextNeedy(listed, 'B')).toBe('A');
  expect(nextNeedy([waiting('A', 1)], 'A')).toBeNull();
});

test('an alert comes when a session starts to wait, once, and not for the visible one', () => {
  const model = createModel(0);
  const before = view(working('A', 1), working('B', 1));
  const after = view(waiting('A', 2), working('B', 1));
  expect(alertsBetween(before, after, model)).toMatchObject([{ slug: 'A', text: 'A needs you' }]);
  expect(alertsBetween(after, after, model)).toEqual([]);
  expect(alertsBetween(view(), after, model)).toEqual([]);
  expect(alertsBetween(before, after, { ...model, selected: 'A' })).toEqual([]);
  // The session is selected, but the person is looking at another window.
  expect(alertsBetween(before, after, { ...model, selected: 'A', hasFocus: false })).toHaveLength(1);
});

test('an alert rings, notifies the desktop if wanted, and is silent if not; no text of a session ends the sequence', () => {
  expect(alertCodes('quiet', 'x')).toBe('');
  expect(alertCodes('bell', 'x')).toBe('\u0007');
  expect(alertCodes('desktop', 'a\u0007b\u001b\\c\u009cd')).toBe('\u0007\u001b]9;CBOS: abcd\u001b\\');
});
