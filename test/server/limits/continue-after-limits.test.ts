import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryContext } from '../../../src/core/delivery/decide.ts';
import { continuationKey, GRACE_MS, LATEST_MS, SPACING_MS } from '../../../src/core/limits/continuation.ts';
import { CatalogueError, type Delivery, type LimitsThen, type RateLimit } from '../../../src/protocol/index.ts';
import {
  continueAfterLimits,
  continueByHand,
  type LimitedSession,
} from '../../../src/server/limits/continue-after-limits.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const T0 = Date.UTC(2026, 10, 23, 22, 0);
const HOUR = 3_600_000;
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const limitUntil = (at: number | null): RateLimit => ({
  status: 'rejected',
  kind: 'five_hour',
  resets_at: at === null ? null : new Date(at).toISOString(),
  utilization: null,
});

const DELIVERY: Delivery = {
  ...{ id: 'd1', session: 'S', text: 'x', status: 'delivered', removed: 0, note: null },
  ...{ created_at: '2026-11-23T22:00:00.000Z', updated_at: '2026-11-23T22:00:00.000Z' },
};

/** A session in memory. Its journal outlives the server, as the database does. */
class Stopped implements LimitedSession {
  readonly id: string;
  stopped: RateLimit | null;
  journal = new Set<string>();
  typed: number[] = [];
  alerts: number[] = [];
  status: DeliveryContext['status'] = { primary: 'idle', detail: 'error', question: null };
  draft: DeliveryContext['draft'] = null;
  cancelled = false;
  /** runs between the decision and the session's turn in its mailbox */
  meanwhile: () => void = nothing;
  /** whether the server dies after it has saved the delivery */
  diesBeforeTyping = false;

  constructor(
    readonly slug: string,
    limit: RateLimit,
  ) {
    this.id = `id-${slug}`;
    this.stopped = limit;
  }

  reportedLimit: RateLimit | null = null;
  reported = () => this.reportedLimit;
  limit = () => (this.stopped === null ? null : { limit: this.stopped, turnEndedAt: T0 });
  context = () => ({
    waitingTexts: 0,
    delivery: {
      ...{ status: this.status, adopted: true, isParked: false, draft: this.draft, hasReturned: false },
      ...{
        isQueueStopped: false,
        isOverBudget: false,
        isUnread: false,
        isEnterBound: false,
        cover: null,
        isDialogNew: false,
      },
      conversed: 'known' as const,
    },
  });
  wasBegun = (key: string): boolean => this.journal.has(key);
  isCancelled = async (): Promise<boolean> => this.cancelled;
  send: LimitedSession['send'] = async ({ idempotency_key: key = '' }, journalWith) => {
    await Promise.resolve();
    this.meanwhile();
    journalWith('1', () => this.journal.add(key));
    if (this.diesBeforeTyping) return DELIVERY;
    this.typed.push(clock.now());
    this.goOn();
    return DELIVERY;
  };
  alert = (): void => void this.alerts.push(clock.now());
  /** Begins a turn, as a person or the server may. */
  goOn(): void {
    this.stopped = null;
    this.status = { primary: 'active', detail: 'thinking', question: null };
    changed();
  }
}

let clock: ManualClock;
let sessions: Stopped[];
let changed: () => void;
let stop: () => void;
beforeEach(() => {
  clock = new ManualClock(T0);
  changed = nothing;
  sessions = Array.from({ length: 20 }, (_, index) => new Stopped(`S${index}`, limitUntil(T0 + HOUR)));
});

afterEach(() => stop());

function serve(policy: LimitsThen = 'resume', floorPercent = 0): void {
  stop = continueAfterLimits({
    policy,
    floorPercent,
    sessions: () => sessions,
    onEvent: (listener) => {
      changed = () => listener({ kind: 'state' });
      return () => {
        changed = nothing;
      };
    },
    clock,
    log: SILENT,
  });
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Lets time pass in steps. Work that begins in one step is done before the next step. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5_000) {
    clock.advance(Math.min(5_000, left));
    await turn();
  }
}
const times = (): number[] => sessions.flatMap(({ typed }) => typed).sort((one, other) => one - other);

describe('twenty sessions at one limit', () => {
  test('each continue once after it, one after the other', async () => {
    serve();
    await pass(HOUR + GRACE_MS - 5_000);
    expect(times()).toEqual([]);
    await pass(20 * SPACING_MS + 10_000);
    expect(sessions.map(({ typed }) => typed.length)).toEqual(sessions.map(() => 1));
    const gaps = times()
      .slice(1)
      .map((at, index) => at - (times()[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SPACING_MS);
    await pass(HOUR);
    expect(times()).toHaveLength(20);
  });

  test('are left alone if Claude Code or a person acted first, or said no', async () => {
    serve();
    await pass(HOUR);
    const [native, cancelled, drafting, racing, asks] = sessions as [Stopped, Stopped, Stopped, Stopped, Stopped];
    native.goOn();
    cancelled.cancelled = true;
    drafting.draft = 'foreign';
    racing.meanwhile = () => racing.goOn();
    asks.status = { primary: 'waiting', detail: 'setup', question: null };
    changed();
    await pass(GRACE_MS + 21 * SPACING_MS);
    for (const one of [native, cancelled, drafting, racing, asks]) expect(one.typed, one.slug).toEqual([]);
    expect(times()).toHaveLength(15);
    expect(racing.journal.size).toBe(0);
  });

  test('are not continued again after a crash between the journal and the keys', async () => {
    for (const one of sessions) one.diesBeforeTyping = true;
    serve();
    await pass(HOUR + GRACE_MS + 3 * SPACING_MS);
    stop();
    const begun = sessions.filter(({ journal }) => journal.size > 0);
    expect(begun.length).toBeGreaterThan(0);
    for (const one of sessions) one.diesBeforeTyping = false;
    serve();
    await pass(HOUR);
    expect(sessions.filter(({ typed }) => typed.length > 0)).toHaveLength(20 - begun.length);
    expect(begun.every(({ typed }) => typed.length === 0)).toBe(true);
  });

  test('are continued by a server that starts after the end, unless that was too long ago', async () => {
    clock.advance(2 * HOUR);
    serve();
    await pass(20 * SPACING_MS + 5_000);
    expect(times()).toHaveLength(20);
    stop();
    sessions = [new Stopped('OLD', limitUntil(clock.now() - LATEST_MS - 1)), new Stopped('ENDLESS', limitUntil(null))];
    serve();
    await pass(HOUR);
    expect(times()).toEqual([]);
  });

  test('reach the next limit, and continue once after that too', async () => {
    sessions = sessions.slice(0, 1);
    serve();
    await pass(HOUR + GRACE_MS);
    const [one] = sessions as [Stopped];
    const second = limitUntil(clock.now() + HOUR);
    Object.assign(one, { stopped: second, status: { primary: 'waiting', detail: 'limit', question: null } });
    changed();
    await pass(2 * HOUR);
    expect(one.typed).toHaveLength(2);
    expect(one.journal).toContain(continuationKey(second));
  });
});

test('a machine that slept over the end continues when it wakes', async () => {
  serve();
  clock.step(5 * HOUR);
  await pass(20 * SPACING_MS + 5_000);
  expect(times()).toHaveLength(20);
});

test('a text that cannot be sent is tried once', async () => {
  sessions = sessions.slice(0, 2);
  let tries = 0;
  const [broken] = sessions as [Stopped];
  broken.send = async () => {
    tries += 1;
    throw new CatalogueError('not_accepting_text');
  };
  serve();
  await pass(3 * HOUR);
  expect([tries, times().length]).toEqual([1, 1]);
});

test.each<LimitsThen>(['native', 'never'])('%s sends nothing, and `ask` only alerts, once', async (policy) => {
  serve(policy);
  await pass(3 * HOUR);
  stop();
  expect(times()).toEqual([]);
  sessions = [new Stopped('S', limitUntil(clock.now() + HOUR)), new Stopped('OVER', limitUntil(clock.now() - 1))];
  serve('ask');
  await pass(3 * HOUR);
  expect([times().length, sessions.map(({ alerts }) => alerts.length)]).toEqual([0, [1, 0]]);
});

test('`ask` alerts also if the clock was set back to before the time at which the server started', async () => {
  serve('ask');
  clock.step(-3 * HOUR);
  sessions = [new Stopped('S', limitUntil(clock.now() + HOUR))];
  changed();
  await pass(2 * HOUR);
  expect(sessions.map(({ alerts }) => alerts.length)).toEqual([1]);
});

describe('by hand', () => {
  const goOn = (session: Stopped): Promise<Delivery> => continueByHand(session, () => clock.now());
  const REFUSED = { code: 'nothing_to_continue' };

  test('a session continues once after its limit, whoever asks, and not before', async () => {
    serve('ask');
    const [session] = sessions as [Stopped];
    await expect(goOn(session)).rejects.toMatchObject(REFUSED);
    await pass(HOUR);
    expect(session.typed).toEqual([]);
    await goOn(session);
    expect(session.typed).toHaveLength(1);
    session.stopped = limitUntil(T0 + HOUR);
    await expect(goOn(session)).rejects.toMatchObject(REFUSED);
    expect(session.typed).toHaveLength(1);
  });

  test('a session that a person has continued is not continued by CBOS, and one that has changed since is left alone', async () => {
    serve('resume');
    const [first, second] = sessions as [Stopped, Stopped];
    await pass(HOUR);
    await goOn(first);
    // Somebody acts at the terminal, between the request and the session's turn in its mailbox.
    second.meanwhile = () => second.goOn();
    await expect(goOn(second)).rejects.toMatchObject({ code: 'not_accepting_text' });
    await pass(GRACE_MS + 21 * SPACING_MS);
    expect([first, second].map(({ typed }) => typed.length)).toEqual([1, 0]);
  });

  test('nothing continues if no limit is known, or its end is unknown', async () => {
    serve('ask');
    const [session] = sessions as [Stopped];
    session.stopped = limitUntil(null);
    await expect(goOn(session)).rejects.toMatchObject(REFUSED);
    session.stopped = null;
    await expect(goOn(session)).rejects.toMatchObject(REFUSED);
  });
});

describe('with a floor of 20 percent', () => {
  const week = (utilization: number | null, endsAt = T0 + 100 * HOUR): RateLimit => ({
    ...{ status: 'allowed_warning', kind: 'seven_day', utilization },
    resets_at: new Date(endsAt).toISOString(),
  });

  test.each<[string, RateLimit | null, number]>([
    ['81 percent of the week are used', week(0.81), 0],
    ['80 percent are used', week(0.8), 1],
    ['nothing is reported', null, 1],
    ['no share is reported', week(null), 1],
    ['the reported period has ended', week(0.99, T0 + HOUR), 1],
  ])('where %s, CBOS continues %#', async (_, reported, times) => {
    const [session, other] = sessions as [Stopped, Stopped];
    sessions = [session, other];
    other.reportedLimit = reported;
    serve('resume', 20);
    await pass(HOUR + GRACE_MS + 3 * SPACING_MS);
    expect(session.typed).toHaveLength(times);
    expect(session.alerts).toHaveLength(1 - times);
    // A person may still continue it.
    if (times === 0) await continueByHand(session, () => clock.now());
    expect(session.typed).toHaveLength(1);
  });
});
