import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { createViewKeeper } from '../../src/client/index.ts';
import {
  attentionOf,
  countAttentions,
  GROUPINGS,
  isUnread,
  matchesSelector,
  matchesState,
  needsYou,
  parseStateSelector,
  type Session,
  type StreamFrame,
} from '../../src/protocol/index.ts';
import { RIGHTS_OF_A_PERSON } from '../../src/server/auth/session-rights.ts';
import { createPush } from '../../src/server/push/push.ts';
import { ClientSocket } from '../../src/server/stream/client-socket.ts';
import { StreamHub } from '../../src/server/stream/stream-hub.ts';
import { attentionHeading } from '../../src/text/session-words.ts';
import { alertsBetween } from '../../src/tui/alerts.ts';
import { listGroups } from '../../src/tui/groups.ts';
import type { Model } from '../../src/tui/model.ts';
import { countAttentions as countInTui, listedSessions, nextNeedy } from '../../src/tui/order.ts';
import { arrangeSessions } from '../../src/web/list/groups.ts';
import { PERMISSION, statusOf } from '../cli/some-questions.ts';
import { attendInMemory, memoryAttention, memoryLabels } from '../harness/attended.ts';
import { ManualClock } from '../harness/manual-clock.ts';
import { MemorySessions } from '../harness/memory-sessions.ts';

const FLEET = 50;
const NAMES = Array.from({ length: FLEET }, (_, index) => `S${index}`);
const REACHED = { status: 'rejected', kind: 'five_hour', resets_at: null, utilization: 1 } as const;
const TAGS = ['night', 'web', 'api'];
const name = fc.constantFrom(...NAMES);
const silent = (): void => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let questions = 0;
/** The changes that can happen to a session. */
const BECOMES = {
  works: () => ({ state: 'working', status: statusOf({ primary: 'active', detail: 'using_tools' }) }),
  ends: () => ({ state: 'waiting', status: statusOf({ primary: 'idle', detail: 'waiting_input' }) }),
  fails: () => ({ state: 'error', status: statusOf({ primary: 'idle', detail: 'error' }) }),
  // A stuck session keeps the state that it had before.
  sticks: ({ state }) => ({ state, status: statusOf({ primary: 'stuck', detail: null, health: 'STUCK' }) }),
  dies: () => ({ state: 'dead', status: statusOf({ primary: 'dead', detail: null, health: 'DEAD' }) }),
  blurs: () => ({ state: 'unknown', status: statusOf({ primary: null, detail: null }) }),
  asks: () => {
    questions += 1;
    const question = { ...PERMISSION, id: `q${questions}` };
    return { state: 'waiting', status: statusOf({ primary: 'waiting', detail: 'permission', question }) };
  },
  limits: () => ({ rate_limit: REACHED }),
  frees: () => ({ rate_limit: null }),
} satisfies Record<string, (before: Session) => Partial<Session>>;

type Action =
  | { do: 'become'; slug: string; what: keyof typeof BECOMES }
  | { do: 'look' | 'lookLate' | 'unseen' | 'unsnooze' | 'send' | 'answer' | 'delete'; slug: string }
  | { do: 'snooze'; slug: string; rule: { hours?: number; asks?: boolean; turn?: boolean; ends?: string } }
  | { do: 'rename' | 'archive' | 'unarchive'; slug: string }
  | { do: 'tag'; slug: string; edit: { add?: string[]; remove?: string[] } }
  | { do: 'wait'; minutes: number }
  | { do: 'step'; minutes: number }
  | { do: 'restart' };

const actions = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('become' as const),
        slug: name,
        what: fc.constantFrom(...(Object.keys(BECOMES) as (keyof typeof BECOMES)[])),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'look' as const,
          'lookLate' as const,
          'unseen' as const,
          'unsnooze' as const,
          'send' as const,
          'answer' as const,
          'delete' as const,
        ),
        slug: name,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('snooze' as const),
        slug: name,
        rule: fc.record(
          { hours: fc.integer({ min: 1, max: 9 }), asks: fc.boolean(), turn: fc.boolean(), ends: name },
          { requiredKeys: [] },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), slug: name }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('archive' as const, 'unarchive' as const), slug: name }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('tag' as const),
        slug: name,
        edit: fc.record({ add: fc.subarray(TAGS), remove: fc.subarray(TAGS) }, { requiredKeys: [] }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 300 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('step' as const), minutes: fc.integer({ min: -200, max: 200 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  ),
  { minLength: 60, maxLength: 150 },
);

interface Kept {
  store: ReturnType<typeof memoryAttention>;
  labels: ReturnType<typeof memoryLabels>;
}

/** One server with a client of its stream, like a page or a terminal UI. */
function serve(memory: MemorySessions, clock: ManualClock, kept: Kept) {
  /** the sessions for which `on_waiting` ran although they were snoozed */
  const wrongly: string[] = [];
  const waited = (session: Session): void => void (session.snoozed === null || wrongly.push(session.slug));
  const { sessions, dispose } = attendInMemory(memory, {
    ...kept,
    clock,
    onWaiting: waited,
    findRepository: async () => null,
  });
  const push = createPush({ sessions, file: '/nowhere/push.json', subject: '', logger });
  const hub = new StreamHub({
    sessions,
    clock,
    logger,
    maxBufferBytes: 1_000,
    machines: {
      follow: () => () => undefined,
      ready: async () => undefined,
      watch: () => {
        throw new Error('no client follows another machine');
      },
    },
    schedules: { onChange: () => () => undefined },
    rules: { onEvent: () => () => undefined },
  });
  const keeper = createViewKeeper();
  const wire = Object.assign(new EventEmitter(), {
    readyState: 1,
    OPEN: 1,
    bufferedAmount: 0,
    send: (data: unknown) => keeper.take(JSON.parse(String(data)) as StreamFrame),
  });
  hub.connect(new ClientSocket(wire as unknown as WebSocket, () => true), async () => RIGHTS_OF_A_PERSON);
  return {
    sessions,
    view: keeper.view,
    wrongly,
    dispose: () => {
      wire.emit('close');
      push.dispose();
      dispose();
    },
  };
}

type Server = ReturnType<typeof serve>;

async function act(
  action: Action,
  world: { memory: MemorySessions; server: Server; clock: ManualClock },
): Promise<void> {
  const { memory, server, clock } = world;
  const { sessions } = server;
  if (action.do === 'wait') return clock.advance(action.minutes * 60_000);
  if (action.do === 'step') return clock.step(action.minutes * 60_000);
  if (action.do === 'restart') return;
  const known = [...sessions.list(), ...sessions.archived()].find(
    (one) => one.slug === action.slug || one.slug === `${action.slug}-x`,
  );
  const slug = known?.slug ?? action.slug;
  if (known === undefined) {
    memory.addWithoutRecording(slug);
    return;
  }
  switch (action.do) {
    case 'become':
      memory.change(slug, BECOMES[action.what](known) as Partial<Session>);
      break;
    case 'look':
      sessions.seen(slug, { news: known.news });
      break;
    case 'lookLate':
      sessions.seen(slug, { news: Math.max(0, known.news - 1) });
      break;
    case 'unseen':
      sessions.unseen(slug);
      break;
    case 'unsnooze':
      sessions.unsnooze(slug);
      break;
    case 'snooze': {
      const { hours, asks, turn, ends } = action.rule;
      const isListed = ends !== undefined && sessions.list().some((one) => one.slug === ends);
      sessions.snooze(slug, {
        ...(hours === undefined ? {} : { until: new Date(clock.now() + hours * 3_600_000).toISOString() }),
        ...(asks === undefined ? {} : { until_asks: asks }),
        ...(turn === undefined ? {} : { until_turn_ends: turn }),
        ...(isListed ? { until_ends: [ends] } : {}),
      });
      break;
    }
    case 'archive':
      sessions.archive(slug);
      break;
    case 'unarchive':
      sessions.unarchive(slug);
      break;
    case 'tag':
      sessions.tag(slug, action.edit);
      break;
    case 'send':
      await sessions.send(slug, { text: 'go on' });
      break;
    case 'answer':
      await sessions.answer(slug, { choice: 'yes' });
      break;
    case 'delete':
      await sessions.remove(slug);
      break;
    case 'rename':
      await sessions.patch(slug, { slug: slug.endsWith('-x') ? action.slug : `${action.slug}-x` });
  }
}

/** Returns the sessions that Tab or `w` visits one after another. */
function jumpSet(listed: readonly Session[]): Set<string> {
  const visited = new Set<string>();
  for (let at = nextNeedy(listed, null); at !== null && !visited.has(at); at = nextNeedy(listed, at)) visited.add(at);
  return visited;
}

function expectAgreement({ sessions, view, wrongly }: Server): void {
  const list = sessions.list();
  const shown = view();
  const strip = (session: Session): unknown[] => [
    session.slug,
    session.state,
    session.status,
    session.unread,
    session.marked_unread,
    session.news,
    session.snoozed,
    session.tags,
    session.archived_at,
  ];
  // The state that the client builds from frames equals the server's list.
  expect([...shown.values()].map(strip).sort()).toEqual(list.map(strip).sort());

  const counts = countAttentions(list);
  const selected = (word: string): number => {
    const selector = parseStateSelector(word);
    return list.filter((session) => selector !== null && matchesState(session, selector)).length;
  };
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  expect(Object.fromEntries(countInTui(shown).map(({ attention, count }) => [attention, count]))).toEqual(
    Object.fromEntries(some),
  );
  expect(
    arrangeSessions(shown.values(), { filter: '', grouping: 'attention', folded: new Set(), open: null })
      .map((group) => `${group.title} (${group.count})`)
      .sort(),
  ).toEqual(some.map(([attention, count]) => attentionHeading(attention as keyof typeof counts, count)).sort());
  const needy = list.filter(needsYou).map(({ slug }) => slug);
  expect(needy).toHaveLength(counts.needs_you);
  expect(selected('needs-you')).toBe(counts.needs_you);
  expect(selected('done')).toBe(counts.done);
  expect(selected('snoozed')).toBe(counts.snoozed);
  expect(selected('unread')).toBe(list.filter(isUnread).length);
  const jumped = jumpSet(listedSessions(shown, ''));
  expect([...jumped].sort()).toEqual([...needy].sort());

  // Archived sessions are in no list, and running sessions are in one.
  expect(list.filter(({ archived_at: at }) => at !== null)).toEqual([]);
  expect(sessions.archived().filter((session) => session.status.primary !== 'dead')).toEqual([]);

  // However the list is grouped, the page and the terminal UI show the same groups, and each session once. A fold hides
  // no session that needs a person.
  for (const grouping of GROUPINGS) {
    const open = { filter: '', grouping, folded: new Set<string>() };
    const groups = arrangeSessions(shown.values(), { ...open, open: null });
    const inGroups = groups.flatMap((group) => group.sessions.map(({ slug }) => slug));
    expect(inGroups.sort()).toEqual(list.map(({ slug }) => slug).sort());
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(list.length);
    const folded = new Set(groups.map(({ key }) => key));
    const inPage = arrangeSessions(shown.values(), { ...open, folded, open: list[0]?.slug ?? null });
    const inTui = listGroups({ ...open, view: shown, folded, selected: list[0]?.slug ?? null });
    const members = (some: readonly { sessions: readonly Session[] }[]): string[][] =>
      some.map((group) => group.sessions.map(({ slug }) => slug).sort());
    expect(members(inPage)).toEqual(members(inTui));
    expect(new Set(members(inPage).flat())).toEqual(
      new Set(grouping === 'none' ? inGroups : [...needy, ...(list[0] === undefined ? [] : [list[0].slug])]),
    );
  }
  for (const tag of TAGS) {
    const tagged = list.filter((session) => matchesSelector(session, { tags: [tag] }));
    const inView = [...shown.values()].filter((session) => matchesSelector(session, { tags: [tag] }));
    expect(inView.map(({ slug }) => slug).sort()).toEqual(tagged.map(({ slug }) => slug).sort());
    expect(
      listedSessions(shown, `#${tag}`)
        .map(({ slug }) => slug)
        .sort(),
    ).toEqual(tagged.map(({ slug }) => slug).sort());
    const inPage = arrangeSessions(shown.values(), {
      ...{ filter: `#${tag}`, grouping: 'tag', folded: new Set(), open: null },
    });
    expect(inPage.flatMap((group) => group.sessions.map(({ slug }) => slug)).sort()).toEqual(
      tagged.map(({ slug }) => slug).sort(),
    );
  }

  for (const session of list) {
    if (session.state === 'error') expect(attentionOf(session)).not.toBe('done');
    if (session.snoozed !== null)
      expect([attentionOf(session), needsYou(session), isUnread(session)]).toEqual(['snoozed', false, false]);
  }
  expect(wrongly).toEqual([]);
}

test('whatever happens, badge, jump targets and all counts agree in every face, at every step', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (todo) => {
      const clock = new ManualClock(Date.parse('2026-11-20T12:00:00Z'));
      const memory = new MemorySessions('/nowhere');
      const kept = { store: memoryAttention(), labels: memoryLabels() };
      for (const slug of NAMES) memory.addWithoutRecording(slug);
      let server = serve(memory, clock, kept);
      try {
        for (const action of todo) {
          if (action.do === 'restart') {
            server.dispose();
            server = serve(memory, clock, kept);
          }
          const before = server.view();
          // A refusal is allowed too. But it may not change anything that one face shows and another does not.
          await act(action, { memory, server, clock }).catch((error: unknown) => {
            if (!(error instanceof Error) || error.name !== 'CatalogueError') throw error;
          });
          expectAgreement(server);
          const model = { selected: null, hasFocus: false } as unknown as Model;
          for (const { slug } of alertsBetween(before, server.view(), model)) {
            expect(server.view().get(slug)?.snoozed).toBeNull();
          }
        }
      } finally {
        server.dispose();
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
