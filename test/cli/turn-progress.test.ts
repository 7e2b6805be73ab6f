import { expect, test } from 'vitest';
import { turnProgress } from '../../src/cli/send-and-wait.ts';
import type { Delivery } from '../../src/protocol/index.ts';
import { SINCE, someSession } from '../harness/some-session.ts';

const delivery = (text: string): Delivery => ({
  id: 'd1',
  session: 'AUTH',
  text,
  status: 'delivered',
  created_at: '2026-11-20T15:04:05.000Z',
  updated_at: SINCE,
  removed: 0,
  note: null,
});
const { status } = someSession('AUTH');
const failed = someSession('AUTH', { status: { ...status, detail: 'error' } });

test.each([
  ['a prompt', 'go on', 'over'],
  ['a slash command, whose screen may still show the error of an earlier turn', '/cd ..', 'maybe_over'],
])('an error after %s: %s', (_, text, expected) => {
  expect(turnProgress(failed, { delivery: delivery(text), wasReady: true })).toBe(expected);
});

test('a slash command that ended well is over', () => {
  expect(turnProgress(someSession('AUTH'), { delivery: delivery('/cost'), wasReady: true })).toBe('over');
});
