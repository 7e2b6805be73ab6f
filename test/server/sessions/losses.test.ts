import { beforeEach, describe, expect, test } from 'vitest';
import { type HookEvidence, NO_HOOKS } from '../../../src/core/status/index.ts';
import type { SessionRecord } from '../../../src/platform/sqlite/session-store.ts';
import { createLosses } from '../../../src/server/sessions/losses.ts';
import { newRecord } from '../../../src/server/sessions/new-record.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { SINCE } from '../../harness/some-session.ts';

const NOW = Date.parse(SINCE);
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const PROCESS = { pid: 7, startTime: '7' };

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock(NOW);
});

function session(some: Partial<SessionRecord> = {}, told: Partial<HookEvidence> = {}) {
  const record: SessionRecord = {
    ...newRecord({ slug: 'AUTH', type: 'screen' }, '/', NOW),
    launchId: 'l',
    screenId: '7.AUTH',
    agent: PROCESS,
    daemon: PROCESS,
    claudeSessionId: 'c',
    boot: clock.setting().boot,
    ...some,
  };
  const hooks: HookEvidence = {
    ...NO_HOOKS,
    lastAt: NOW,
    started: { at: NOW, source: 'startup' },
    prompt: { at: NOW, text: 'hello' },
    ...told,
  };
  const actor = {
    record,
    hooks,
    slug: 'AUTH',
    isChangingHands: false,
    isDead: () => actor.record.endedAt !== null,
    update: (change: Partial<SessionRecord>) => {
      actor.record = { ...actor.record, ...change };
    },
    status: { evidence: () => ({ process: null, screen: null, hooks: actor.hooks, registry: null }) },
    recording: { size: () => ({ cols: 100, rows: 30 }) },
    intake: { seeEnd: () => actor.update({ endedAt: clock.now() }) },
  };
  return actor;
}
type Actor = ReturnType<typeof session>;

function serverOf(actor: Actor) {
  const members = [{ actor: actor as never }];
  return createLosses({ listed: { all: () => members }, clock, log: SILENT });
}

/** Starts a server after the processes have ended. */
function startsAfter(actor: Actor, screen: 'gone' | 'killed' | 'alive' = 'gone', meanwhile: () => void = nothing) {
  const losses = serverOf(actor);
  losses.remember();
  if (actor.record.screenId !== null && !actor.isDead()) {
    actor.intake.seeEnd();
    losses.seeEnd(actor as never, screen);
  }
  meanwhile();
  losses.judgeFound();
  return losses;
}

describe('a server that starts', () => {
  test('reports which sessions were lost since the last one, and remembers the size that they had', () => {
    const actor = session();
    startsAfter(actor);
    expect(actor.record.loss).toEqual({ because: 'vanished', tries: 0, wasBlank: false });
    expect(actor.record.launch).toMatchObject({ cols: 100, rows: 30 });
  });

  test('recognizes a reboot by the id of the boot', () => {
    const actor = session({ boot: 'another' }, { lastAt: null, started: null, prompt: null });
    startsAfter(actor);
    expect(actor.record.loss?.because).toBe('reboot');
  });

  test('waits for the hooks from the time without a server', () => {
    const actor = session();
    startsAfter(actor, 'gone', () => {
      actor.hooks = { ...actor.hooks, ended: { at: NOW, reason: 'prompt_input_exit' } };
    });
    expect(actor.record.loss).toBeNull();
  });

  test.each<[string, Partial<SessionRecord>]>([
    ['that was being stopped', { stopAskedAt: NOW }],
    ['that was being deleted', { removedAt: NOW }],
    ['that was being parked', { parkedAt: NOW }],
    ['that was stopped before', { endedAt: NOW - 1 }],
    ['without a terminal', { type: 'json' }],
  ])('does not count a session as lost %s', (_, some) => {
    const actor = session(some);
    startsAfter(actor);
    expect(actor.record.loss).toBeNull();
  });

  test('recognizes a session that was lost before its first prompt', () => {
    const actor = session({}, { prompt: null });
    startsAfter(actor);
    expect(actor.record.loss?.wasBlank).toBe(true);
    const resumed = session({}, { prompt: null, started: { at: NOW, source: 'resume' } });
    startsAfter(resumed);
    expect(resumed.record.loss?.wasBlank).toBe(false);
  });

  test('ends a session whose launch failed, and counts it as lost', () => {
    const never = { agent: null, daemon: null, screenId: null, claudeSessionId: null };
    const actor = session(never, { lastAt: null, started: null, prompt: null });
    actor.record.boot = 'another';
    startsAfter(actor);
    expect(actor.isDead()).toBe(true);
    expect(actor.record.loss).toMatchObject({ because: 'reboot', wasBlank: true });
  });

  test('withdraws a loss if Claude Code reports its own end later', () => {
    const loss = { because: 'shutdown', tries: 0, wasBlank: false } as const;
    const actor = session({ endedAt: NOW, loss }, { ended: { at: NOW, reason: 'prompt_input_exit' } });
    startsAfter(actor);
    expect(actor.record.loss).toBeNull();
    const lost = session({ endedAt: NOW, loss });
    startsAfter(lost);
    expect(lost.record.loss).toEqual(loss);
  });

  test('records in which boot a session is alive', () => {
    const actor = session({ boot: null });
    const losses = serverOf(actor);
    losses.remember();
    losses.judgeFound();
    expect(actor.record.boot).toBe(clock.setting().boot);
  });
});

describe('a server that runs', () => {
  test.each([
    ['killed', 'screen_killed'],
    ['gone', undefined],
    ['alive', undefined],
  ] as const)('sees a session end whose Screen is %s: %s', (screen, because) => {
    const actor = session();
    const losses = serverOf(actor);
    losses.remember();
    losses.judgeFound();
    actor.intake.seeEnd();
    losses.seeEnd(actor as never, screen);
    expect(actor.record.loss?.because).toBe(because);
  });

  test('and ends counts as lost the sessions that have just ended with it, and no others', () => {
    for (const [before, some, because] of [
      [100, {}, 'shutdown'],
      [60_000, {}, undefined],
      [100, { stopAskedAt: NOW }, undefined],
    ] as const) {
      const actor = session(some);
      const losses = startsAfter(session());
      const all = createLosses({ listed: { all: () => [{ actor: actor as never }] }, clock, log: SILENT });
      actor.update({ endedAt: clock.now() - before });
      all.judgeLast();
      losses.judgeLast();
      expect(actor.record.loss?.because).toBe(because);
    }
  });
});
