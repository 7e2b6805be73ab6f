import { describe, expect, test } from 'vitest';
import { type DeliveryContext, decideDelivery, mayTypeHeld } from '../../../src/core/delivery/decide.ts';
import {
  CONTINUE_TEXT,
  continuationDue,
  continuationKey,
  GRACE_MS,
  LATEST_MS,
  mayContinue,
} from '../../../src/core/limits/continuation.ts';
import {
  DEFAULT_THRESHOLDS,
  derive,
  type HookEvent,
  limitShown,
  NO_HOOKS,
  nameLimit,
  observeHook,
} from '../../../src/core/status/index.ts';
import { isAsking, isReady, type RateLimit } from '../../../src/protocol/index.ts';
import { evidenceOf, hook, hooksOf } from '../status/evidence-maker.ts';

const T0 = Date.UTC(2026, 10, 23, 22, 0);
const ENDS = T0 + 3_600_000;
const LIMIT: RateLimit = {
  status: 'rejected',
  kind: 'five_hour',
  resets_at: new Date(ENDS).toISOString(),
  utilization: null,
};
const prompted = hook(T0, 'UserPromptSubmit', { prompt: 'go on' });
const failed = (limit?: RateLimit): HookEvent => ({
  ...hook(T0 + 900, 'StopFailure', { error: 'rate_limit', last_assistant_message: 'You have hit your limit' }),
  ...(limit === undefined ? {} : { limit }),
});
const at = (now: number, ...events: HookEvent[]) => derive(evidenceOf({ hooks: hooksOf(...events) }), now);
const word = (now: number, ...events: HookEvent[]): string => {
  const { primary, detail } = at(now, ...events);
  return `${primary}/${detail}`;
};

describe('a session that a usage limit has stopped', () => {
  test('waits for its end, and counts as a failed turn afterwards', () => {
    const during = at(T0 + 1_000, prompted, failed(LIMIT));
    expect(during).toMatchObject({ primary: 'waiting', detail: 'limit', question: null, recheckAt: ENDS });
    expect(during.because.rule).toBe('hook.StopFailure');
    expect([word(ENDS - 1, prompted, failed(LIMIT)), word(ENDS, prompted, failed(LIMIT))]).toEqual([
      'waiting/limit',
      'idle/error',
    ]);
  });

  test('is no different from another failed turn if nothing names the limit', () => {
    expect(word(T0 + 1_000, prompted, failed())).toBe('idle/error');
  });

  test('waits as long as nothing happens if the end of the limit is unknown', () => {
    const unknown = failed({ ...LIMIT, resets_at: null });
    expect(word(ENDS + 1e9, prompted, unknown)).toBe('waiting/limit');
    expect(word(ENDS, prompted, failed({ ...LIMIT, resets_at: 'soon' }))).toBe('waiting/limit');
  });

  test('works again as soon as a turn begins, whoever began it, and no longer shows the limit', () => {
    const again = hook(T0 + 5_000, 'UserPromptSubmit', { prompt: 'Your usage limit has reset' });
    expect(word(T0 + 6_000, prompted, failed(LIMIT), again)).toBe('active/thinking');
    const shown = (now: number, ...events: HookEvent[]) => limitShown({ hooks: hooksOf(...events) }, now);
    expect(shown(T0 + 1_000, prompted, failed(LIMIT))).toEqual(LIMIT);
    expect(shown(ENDS, prompted, failed(LIMIT))).toBeNull();
    expect(shown(T0 + 6_000, prompted, failed(LIMIT), again)).toBeNull();
  });

  test('is named later if the transcript is late, and only for this failure', () => {
    const hooks = hooksOf(prompted, failed());
    const named = (message: string) => derive(evidenceOf({ hooks: nameLimit(hooks, LIMIT, message) }), T0 + 1_000);
    expect([named('You have hit your limit').detail, named('Overloaded').detail]).toEqual(['limit', 'error']);
  });

  test('follows the process: stopped, parked', () => {
    const hooks = hooksOf(prompted, failed(LIMIT));
    const process = { alive: false, startedAt: T0, endedAt: T0 + 2_000 };
    expect(derive({ ...evidenceOf({ hooks }), process }, T0 + 3_000, DEFAULT_THRESHOLDS).primary).toBe('dead');
    const parked = { ...process, parkedAt: T0 + 2_000 };
    expect(derive({ ...evidenceOf({ hooks }), process: parked }, T0 + 3_000).primary).toBe('idle');
  });

  test('keeps its limit among bounded evidence, in the stored form', () => {
    const kept: unknown = JSON.parse(JSON.stringify([prompted, failed(LIMIT)].reduce(observeHook, NO_HOOKS)));
    expect(kept).toMatchObject({ turnEnd: { error: 'rate_limit', limit: LIMIT } });
  });
});

const context = (more: Partial<DeliveryContext> = {}): DeliveryContext => ({
  ...{ adopted: true, isParked: false, draft: null, hasReturned: false, isQueueStopped: false, isUnread: false },
  conversed: 'known' as const,
  isEnterBound: false,
  isOverBudget: false,
  status: { primary: 'waiting', detail: 'limit', question: null },
  cover: null,
  isDialogNew: false,
  ...more,
});
const request = { text: 'go on', command: false, force: false, queue: false };

test('its prompt accepts what a person types, and held texts stay held', () => {
  const { status } = context();
  expect([isReady(status), isAsking(status)]).toEqual([true, false]);
  expect(decideDelivery(context(), request)).toEqual({ kind: 'type', confirm: 'turn' });
  expect(decideDelivery(context(), { ...request, queue: true })).toEqual({ kind: 'hold' });
  expect(mayTypeHeld(context())).toBe(false);
  expect(mayTypeHeld(context({ status: { ...status, primary: 'idle', detail: 'error' } }))).toBe(true);
});

describe('a continuation', () => {
  test('leaves the first minutes after the end to Claude Code, and never comes a day later', () => {
    expect(continuationDue(LIMIT, T0)).toBe(ENDS + GRACE_MS);
    expect(continuationDue(LIMIT, ENDS + LATEST_MS)).toBe(ENDS + GRACE_MS);
    expect(continuationDue(LIMIT, ENDS + LATEST_MS + 1)).toBeNull();
    expect(continuationDue({ ...LIMIT, resets_at: null }, T0)).toBeNull();
  });

  test('for another limit has another key', () => {
    const other = { ...LIMIT, kind: 'seven_day' };
    expect(continuationKey(LIMIT)).toBe(`limit:five_hour:${LIMIT.resets_at}`);
    expect(continuationKey(other)).not.toBe(continuationKey(LIMIT));
  });

  const rested = { status: { primary: 'idle', detail: 'error', question: null } } as const;
  test.each<[string, Partial<DeliveryContext>, number, boolean]>([
    ['an idle session', rested, 0, true],
    ['a session whose limit has not ended', {}, 0, true],
    ['a session that is working', { status: { primary: 'active', detail: 'thinking', question: null } }, 0, false],
    ["a session with a person's text in its prompt", { ...rested, draft: 'foreign' }, 0, false],
    ['a session with a held text', rested, 1, false],
    ['a session that a person has interrupted', { ...rested, isQueueStopped: true }, 0, false],
    ['a parked session', { ...rested, isParked: true }, 0, false],
    ['a session whose prompt is covered', { ...rested, cover: 'view' }, 0, false],
    ['a session that is only observed', { ...rested, adopted: false }, 0, false],
  ])('of %s', (_, more, texts, expected) => {
    expect(mayContinue(context(more), texts)).toBe(expected);
  });

  test('is a text that neither a shell nor a command takes', () => {
    expect(decideDelivery(context(rested), { ...request, text: CONTINUE_TEXT }).kind).toBe('type');
  });
});
