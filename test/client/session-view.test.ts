import { expect, test } from 'vitest';
import { createViewKeeper, type SessionView } from '../../src/client/index.ts';
import { isCurrent, type StreamFrame } from '../../src/protocol/index.ts';
import { someSession } from '../harness/some-session.ts';

function keep(...frames: StreamFrame[]) {
  const keeper = createViewKeeper();
  for (const frame of frames) keeper.take(frame);
  return keeper;
}
const fold = (...frames: StreamFrame[]): SessionView => keep(...frames).view();
const A = someSession('A');
const B = someSession('B');
const list: StreamFrame = { type: 'sessions', sessions: [A, B] };

test('the list replaces everything, in its order', () => {
  expect([...fold(list, { type: 'sessions', sessions: [B] }).keys()]).toEqual(['B']);
});

test('sessions are added and removed, and are renamed in their place', () => {
  const view = fold(
    list,
    { type: 'session_added', session: someSession('C') },
    { type: 'session_renamed', session: 'A', slug: 'Z' },
    { type: 'session_removed', session: 'B' },
  );
  expect([...view]).toEqual([
    ['Z', { ...A, slug: 'Z' }],
    ['C', someSession('C')],
  ]);
});

test('a change of state changes state and status, and a stuck session keeps its former word', () => {
  const working: StreamFrame = {
    type: 'session_state',
    session: 'A',
    state: 'working',
    status: { ...A.status, primary: 'active', detail: 'using_tools' },
    json_state: null,
  };
  const stuck: StreamFrame = { ...working, status: { ...A.status, primary: 'stuck', detail: null, health: 'STUCK' } };
  expect(fold(list, working).get('A')).toMatchObject({ state: 'working', status: { detail: 'using_tools' } });
  expect(fold(list, working, stuck).get('A')).toMatchObject({ state: 'working', status: { health: 'STUCK' } });
});

test("a JSON session's own word does not become its word for lists", () => {
  const json = { ...A, type: 'json' as const };
  const view = fold(
    { type: 'sessions', sessions: [json] },
    {
      type: 'session_state',
      session: 'A',
      state: 'running',
      status: { ...A.status, primary: 'active', detail: 'thinking' },
      json_state: 'running',
    },
  );
  expect(view.get('A')).toMatchObject({ state: 'thinking', json_state: 'running' });
});

test('a new size is kept', () => {
  expect(fold(list, { type: 'resized', session: 'A', cols: 99, rows: 33 }).get('A')).toMatchObject({
    cols: 99,
    rows: 33,
  });
});

test.each([
  { type: 'available_streams', sessions: ['A'] },
  { type: 'stream', session: 'A', data: 'x', ts: 1, offset: 2 },
  { type: 'session_removed', session: 'NOPE' },
  { type: 'session_renamed', session: 'NOPE', slug: 'Y' },
  { type: 'session_state', session: 'NOPE', state: 'idle', status: A.status, json_state: null },
] satisfies StreamFrame[])('a frame that changes no session gives the same view: $type', (frame) => {
  const { take, view } = keep(list);
  const before = view();
  take(frame);
  expect(view()).toBe(before);
});

test('a view that was read does not change', () => {
  const { take, view } = keep(list);
  const before = view();
  take({ type: 'resized', session: 'A', cols: 99, rows: 33 });
  take({ type: 'session_removed', session: 'B' });
  expect([...before.values()]).toEqual([A, B]);
  expect([...view().values()]).toEqual([{ ...A, cols: 99, rows: 33 }]);
});

const machine = (reachable: boolean, ...slugs: string[]): Extract<StreamFrame, { type: 'machine' }> => ({
  type: 'machine',
  machine: 'build',
  is_self: false,
  reachable,
  age_ms: 5_000,
  fault: null,
  cause: reachable ? null : 'unreachable',
  may: reachable ? ['see', 'answer'] : [],
  unreadable: 0,
  sessions: slugs.map((slug) => someSession(slug)),
});

test('sessions of other machines have the name of their machine, and stay when the own list is sent again', () => {
  const view = fold(list, machine(true, 'A', 'X'), list);
  expect([...view.keys()]).toEqual(['A', 'B', 'build/A', 'build/X']);
  expect(view.get('build/X')).toMatchObject({
    slug: 'build/X',
    elsewhere: { machine: 'build', slug: 'X', may: ['see', 'answer'], asOf: null, cause: null },
  });
});

test('a change to a machine leaves its other sessions as they are', () => {
  const keeper = createViewKeeper();
  keeper.take(machine(true, 'X', 'Y', 'Z'));
  const before = keeper.view();
  keeper.take({ ...machine(true, 'Y', 'NEW'), change: { removed: ['Z'] } });
  const after = keeper.view();
  expect([...after.keys()]).toEqual(['build/X', 'build/Y', 'build/NEW']);
  expect(after.get('build/X')).toBe(before.get('build/X'));
  expect(after.get('build/NEW')?.elsewhere).toMatchObject({ machine: 'build', may: ['see', 'answer'] });
});

test('a name that could lead elsewhere gets no row', () => {
  expect([...fold(machine(true, '../../x', 'a/b', 'X')).keys()]).toEqual(['build/X']);
});

test('rows of an unreachable machine are as old as it reports, and nothing is current once the own server is lost', () => {
  const keeper = createViewKeeper(() => 60_000);
  keeper.take(machine(false, 'X'));
  expect(keeper.view().get('build/X')?.elsewhere).toMatchObject({ may: [], asOf: 55_000 });
  keeper.take(machine(true, 'X'));
  expect(isCurrent(keeper.view().get('build/X') ?? {})).toBe(true);
  keeper.lose();
  expect(keeper.view().get('build/X')?.elsewhere).toMatchObject({ may: [], asOf: 60_000 });
});

test('sessions are removed with their machine, and when they are deleted', () => {
  const gone = machine(true, 'Y');
  expect([...fold(list, machine(true, 'X', 'Y'), gone).keys()]).toEqual(['A', 'B', 'build/Y']);
  expect([...fold(list, gone, { type: 'fleet', machines: ['other'] }).keys()]).toEqual(['A', 'B']);
});
