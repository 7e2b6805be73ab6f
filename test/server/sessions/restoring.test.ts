import { beforeEach, describe, expect, test } from 'vitest';
import type { RestorePlan } from '../../../src/core/restore/plan.ts';
import { CatalogueError, type Restoration } from '../../../src/protocol/index.ts';
import { newRecord } from '../../../src/server/sessions/new-record.ts';
import { createRestoring, isConversationShared, type Restorable } from '../../../src/server/sessions/restoring.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { SINCE } from '../../harness/some-session.ts';

const NOW = Date.parse(SINCE);
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

type Record = Restorable['actor']['record'];

/** A session in memory, with its record and with launches that a test ends by hand. */
class Lost implements Restorable {
  actor: { slug: string; record: Record };
  launches = 0;
  end: ((failure?: CatalogueError) => void) | null = null;

  constructor(
    slug: string,
    readonly everyone: Lost[],
    some: Partial<Record> = {},
  ) {
    const record = newRecord({ slug, type: 'screen' }, '/', NOW);
    const loss = { because: 'reboot', tries: 0, wasBlank: false } as const;
    this.actor = { slug, record: { ...record, endedAt: NOW, claudeSessionId: `c-${slug}`, loss, ...some } };
    everyone.push(this);
  }

  /** A short version of the decision that the real controls make. */
  #plan(): RestorePlan {
    const { record } = this.actor;
    if (record.endedAt === null) return { kind: 'left', because: 'running' };
    return record.loss === null ? { kind: 'left', because: 'ended' } : { kind: 'resume' };
  }

  controls = {
    planRestore: async (): Promise<RestorePlan> => this.#plan(),
    restore: async (): Promise<RestorePlan> => {
      const plan = this.#plan();
      if (plan.kind === 'left') return plan;
      this.launches += 1;
      await new Promise<void>((resolve, reject) => {
        this.end = (failure) => (failure === undefined ? resolve() : reject(failure));
      });
      this.end = null;
      this.actor.record = { ...this.actor.record, endedAt: null, loss: null };
      return plan;
    },
  };
}

let sessions: Lost[];
let load: number;
beforeEach(() => {
  sessions = [];
  load = 0;
});

function serverOf(all: Lost[] = sessions) {
  const get = (slug: string): Lost => {
    const found = all.find(({ actor }) => actor.slug === slug);
    if (found === undefined) throw new CatalogueError('no_such_session');
    return found;
  };
  return createRestoring({
    listed: { all: () => all, get },
    machine: () => ({ cores: 4, load }),
    clock: new ManualClock(NOW),
    log: SILENT,
  });
}
const thirty = (): void => {
  for (let number = 1; number <= 30; number += 1) new Lost(`S${number}`, sessions, { lastActivity: NOW + number });
};
const onTheirWay = (): Lost[] => sessions.filter(({ end }) => end !== null);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Ends the running launches, and lets the next ones begin. */
async function endAll(failure?: CatalogueError): Promise<void> {
  for (const one of onTheirWay()) one.end?.(failure);
  await turn();
}
const outcomes = ({ sessions: all }: Restoration): (readonly [string, string])[] =>
  all.map(({ session, outcome }) => [session, outcome] as const);

describe('thirty lost sessions', () => {
  beforeEach(thirty);

  test('come back once each, three at a time, the last used ones first', async () => {
    const restoring = serverOf();
    await restoring.ask({});
    const begun: string[] = [];
    let most = 0;
    while (restoring.state().state === 'running') {
      most = Math.max(most, onTheirWay().length);
      begun.push(...onTheirWay().map(({ actor }) => actor.slug));
      await endAll();
    }
    expect(most).toBe(3);
    expect(begun.slice(0, 4)).toEqual(['S28', 'S29', 'S30', 'S25']);
    expect(sessions.map(({ launches }) => launches)).toEqual(sessions.map(() => 1));
    expect(restoring.state()).toMatchObject({ state: 'done', by_itself: false });
    expect(new Set(restoring.state().sessions.map(({ outcome }) => outcome))).toEqual(new Set(['restored']));
  });

  test('come back one at a time on a busy machine, and continue', async () => {
    load = 20;
    const restoring = serverOf();
    await restoring.ask({});
    expect(onTheirWay()).toHaveLength(1);
    await endAll();
    expect(onTheirWay()).toHaveLength(1);
    load = 2;
    await endAll();
    expect(onTheirWay()).toHaveLength(2);
  });

  test('are left alone by a plan, which reports what would be done', async () => {
    const restoring = serverOf();
    const plan = await restoring.ask({ dry_run: true });
    expect(plan).toMatchObject({ id: null, state: 'planned' });
    expect(plan.sessions).toHaveLength(30);
    expect(plan.sessions[0]).toMatchObject({ session: 'S30', outcome: 'planned', lost: 'reboot', how: 'resume' });
    expect([onTheirWay().length, restoring.state().state]).toEqual([0, 'none']);
  });

  test('are not all tried after three failures in a row; a second request tries again', async () => {
    const restoring = serverOf();
    await restoring.ask({});
    await endAll();
    await endAll(new CatalogueError('claude_not_found'));
    const stopped = restoring.state();
    expect(stopped.state).toBe('stopped');
    const count = (of: string): number => stopped.sessions.filter(({ outcome }) => outcome === of).length;
    expect([count('restored'), count('failed'), count('not_tried')]).toEqual([3, 3, 24]);
    expect(stopped.sessions.find(({ outcome }) => outcome === 'failed')?.error?.code).toBe('claude_not_found');
    expect(sessions.filter(({ launches }) => launches > 0)).toHaveLength(6);

    await restoring.ask({});
    while (restoring.state().state === 'running') await endAll();
    expect(restoring.state().state).toBe('done');
    expect(sessions.map(({ actor }) => actor.record.loss)).toEqual(sessions.map(() => null));
  });

  test('continue if single ones fail, or are open elsewhere', async () => {
    const restoring = serverOf();
    await restoring.ask({});
    for (let round = 0; restoring.state().state === 'running'; round += 1) {
      const [first, ...others] = onTheirWay();
      first?.end?.(new CatalogueError(round % 2 === 0 ? 'session_in_use' : 'launch_failed'));
      await turn();
      for (const one of others) one.end?.();
      await turn();
    }
    expect(restoring.state().state).toBe('done');
    expect(sessions.every(({ launches }) => launches === 1)).toBe(true);
  });

  test('are not restored twice by two requests at once, nor by a later one', async () => {
    const restoring = serverOf();
    const [one, other] = await Promise.all([restoring.ask({}), restoring.ask({ sessions: ['S3', 'S3', 'S30'] })]);
    expect(other.id).toBe(one.id);
    await endAll();
    await restoring.ask({ sessions: ['S1'] });
    while (restoring.state().state === 'running') await endAll();
    expect(sessions.map(({ launches }) => launches)).toEqual(sessions.map(() => 1));
    expect(restoring.state().sessions).toHaveLength(30);
  });

  test('are restored by the next server if one was killed in between, none of them twice', async () => {
    await serverOf().begin();
    await endAll();
    await endAll();
    // The launches that were running never end, as after a kill.
    const brokenOff = onTheirWay();
    for (const one of brokenOff) one.end = null;
    expect(brokenOff).toHaveLength(3);

    const next = serverOf();
    await next.begin();
    expect(next.state()).toMatchObject({ by_itself: true, state: 'running' });
    while (next.state().state === 'running') await endAll();
    const twice = sessions.filter(({ launches }) => launches > 1);
    expect(twice).toEqual(expect.arrayContaining(brokenOff));
    expect(twice).toHaveLength(3);
    expect(sessions.every(({ actor }) => actor.record.loss === null)).toBe(true);
  });

  test('are not restored by a server that is ending, except for those under way', async () => {
    const restoring = serverOf();
    await restoring.ask({});
    restoring.dispose();
    await endAll();
    expect(onTheirWay()).toEqual([]);
    expect(sessions.filter(({ launches }) => launches > 0)).toHaveLength(3);
    expect(restoring.state().state).toBe('stopped');
  });
});

test('that are named but not lost are left, which is reported; an unknown name changes nothing', async () => {
  new Lost('LOST', sessions);
  new Lost('RUNS', sessions, { endedAt: null, loss: null });
  new Lost('STOPPED', sessions, { loss: null });
  const restoring = serverOf();
  await expect(restoring.ask({ sessions: ['LOST', 'NOBODY'] })).rejects.toMatchObject({ code: 'no_such_session' });
  expect(onTheirWay()).toEqual([]);
  await restoring.ask({ sessions: ['LOST', 'RUNS', 'STOPPED'] });
  await endAll();
  expect(outcomes(restoring.state())).toEqual([
    ['LOST', 'restored'],
    ['RUNS', 'left'],
    ['STOPPED', 'left'],
  ]);
  expect(restoring.state().sessions.map(({ reason }) => reason)).toEqual([null, 'running', 'ended']);
});

test('a server begins no restoration if nothing is lost', async () => {
  new Lost('STOPPED', sessions, { loss: null });
  const restoring = serverOf();
  await restoring.begin();
  expect(restoring.state().state).toBe('none');
});

describe('a conversation that two sessions had', () => {
  const both = { claudeSessionId: 'c' };
  const isShared = (one: Lost): boolean =>
    isConversationShared(
      sessions.map(({ actor }) => ({ actor: { ...actor, isChangingHands: false } })),
      one.actor,
    );

  test('comes back in the one that was used last', () => {
    const older = new Lost('OLDER', sessions, { ...both, lastActivity: 1 });
    const newer = new Lost('NEWER', sessions, { ...both, lastActivity: 2 });
    new Lost('OTHER', sessions, { lastActivity: 3 });
    expect([isShared(older), isShared(newer)]).toEqual([true, false]);
  });

  test.each<[string, Partial<Record>, boolean]>([
    ['runs', { endedAt: null, loss: null }, true],
    ['is parked', { parkedAt: NOW, loss: null }, true],
    ['was stopped', { loss: null }, false],
  ])('while the other one %s', (_, some, shared) => {
    const lost = new Lost('LOST', sessions, both);
    new Lost('OTHER', sessions, { ...both, ...some });
    expect(isShared(lost)).toBe(shared);
  });

  test('that has no id is shared with nobody', () => {
    const lost = new Lost('LOST', sessions, { claudeSessionId: null });
    new Lost('OTHER', sessions, { claudeSessionId: null, endedAt: null, loss: null });
    expect(isShared(lost)).toBe(false);
  });
});
