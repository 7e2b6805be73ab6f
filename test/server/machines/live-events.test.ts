import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ClaudeEvent, MACHINE_WIRE, type StreamFrame } from '../../../src/protocol/index.ts';
import type { CuttingProxy } from '../../harness/cutting-proxy.ts';
import type { TestSocket } from '../../harness/faces.ts';
import {
  connectThroughLink,
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  startMachine,
  stopMachines,
} from '../../harness/fleet.ts';
import { DONE, WORKING } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';

let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let old: MachineUnderTest;
let tower: MachineUnderTest;
/** the laptop's link to NATS */
let link: CuttingProxy;

const event = (n: number): ClaudeEvent => ({ type: 'assistant', n });
const JSON_SESSION = { type: 'json', json_state: 'idle' } as const;

async function follow(name: string, after?: number): Promise<TestSocket<StreamFrame>> {
  const socket = await laptop.connectStream();
  const begin = after === undefined ? {} : { after: { [name]: after } };
  socket.send({ type: 'subscribe', sessions: [name], ...begin });
  return socket;
}

const seqs = (socket: TestSocket<StreamFrame>): number[] => socket.of('claude_event').map(({ seq }) => seq);
const text = (socket: TestSocket<StreamFrame>): string =>
  socket
    .of('stream')
    .map(({ data }) => data)
    .join('');

describe.skipIf(!hasNatsServer)('what happens on other machines', () => {
  beforeAll(async () => {
    [desk, laptop, tower, old] = await Promise.all([
      startMachine('desk'),
      startMachine('laptop'),
      startMachine('tower'),
      startMachine('old', { wire: { ...MACHINE_WIRE, minor: MACHINE_WIRE.minor - 1 } }),
    ]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, ['see', 'type']), ['see']);
    await joinFleet(old, await invite(desk, ['see']), ['see']);
    await joinFleet(tower, await invite(desk, ['see']), ['see']);
    link = await connectThroughLink(laptop, desk);
  }, 90_000);
  beforeEach(() => desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type'] } }));
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await stopMachines(old, tower, laptop, desk);
  });

  let tries = 0;
  test('events of JSON sessions come in order, without a gap, also while the link is cut', async () => {
    // The events of a try that failed remain.
    const slug = `JSON-${++tries}`;
    const name = `desk/${slug}`;
    desk.sessions.addWithoutRecording(slug, JSON_SESSION);
    for (let n = 1; n <= 450; n++) desk.sessions.happen(slug, event(n));
    const socket = await follow(name, 3);
    const upTo = (last: number): number[] => Array.from({ length: last - 3 }, (_, index) => index + 4);
    const until = (last: number) => waitFor(() => seqs(socket).at(-1) === last, { describe: `event ${last} has come` });
    await until(450);
    desk.sessions.happen(slug, event(451), event(452));
    await until(452);
    const page = await laptop.call('/fleet/calls', {
      body: { machine: 'desk', call: { route: 'events', params: { slug }, query: { after: 450 } } },
    });
    expect(page.json()).toMatchObject({ value: { events: [{ seq: 451 }, { seq: 452 }] } });
    const late = await follow(name);
    link.cut();
    for (let n = 453; n <= 460; n++) desk.sessions.happen(slug, event(n));
    await until(460);
    expect(seqs(socket)).toEqual(upTo(460));
    desk.sessions.happen(slug, event(461));
    await waitFor(() => seqs(late).includes(461), { describe: 'a client without a place gets what is new' });
    expect(Math.min(...seqs(late)), 'and nothing else').toBeGreaterThan(452);
    expect(socket.of('error')).toEqual([]);
    socket.ws.close();
    late.ws.close();
  });

  test('a changed status arrives without a request', async () => {
    desk.sessions.add('STATUS', DONE);
    const socket = await laptop.connectStream();
    socket.send({ type: 'follow_fleet' });
    const state = () =>
      socket
        .of('machine')
        .findLast(({ machine }) => machine === 'desk')
        ?.sessions.find(({ slug }) => slug === 'STATUS')?.state;
    await waitFor(() => state() === 'waiting', { describe: 'the session is listed' });
    desk.sessions.change('STATUS', WORKING);
    await waitFor(() => state() === 'working', { describe: 'the new status has come' });
    socket.ws.close();
  });

  test('nothing is sent for sessions that show nothing new', async () => {
    const names = ['IDLE-1', 'IDLE-2', 'IDLE-3'];
    for (const name of names) desk.sessions.add(name).write('quiet');
    const sockets = await Promise.all(names.map((name) => follow(`desk/${name}`)));
    for (const socket of sockets) await waitFor(() => text(socket).includes('quiet'), { describe: 'the screen came' });
    const { stream } = desk.sessions;
    let requests = 0;
    desk.sessions.stream = (slug) => {
      requests += 1;
      return stream.call(desk.sessions, slug);
    };
    const before = link.passed();
    // The only messages are those that show, every two seconds, that the owner is still there.
    await waitFor(() => link.passed().messages >= before.messages + 10, {
      ...{ describe: 'the owner has been looked at several times', timeoutMs: 30_000 },
    });
    expect(requests).toBe(0);
    expect(link.passed().bytes - before.bytes).toBeLessThan(15_000);
    desk.sessions.stream = stream;
    for (const socket of sockets) socket.ws.close();
  }, 40_000);

  test('an older machine has its screens read, and this is said', async () => {
    const recording = old.sessions.add('OLD');
    recording.write('the first screen');
    const socket = await follow('old/OLD');
    socket.send({ type: 'follow_fleet' });
    await waitFor(() => text(socket).includes('the first screen'), { describe: 'the screen came' });
    recording.write(' and more');
    await waitFor(() => text(socket).includes('the first screen and more'), { describe: 'the next screen came' });
    const lives = () =>
      Object.fromEntries(socket.of('machine').map(({ machine, live }): [string, unknown] => [machine, live]));
    await waitFor(() => Object.keys(lives()).length === 3, { describe: 'the machines are known' });
    expect(lives()).toEqual({ desk: true, tower: true, old: false });
    expect(recording.listeners()).toBe(0);
    socket.ws.close();
  });

  test('a right that is taken away ends the output at once, and what is not there is said', async () => {
    const recording = desk.sessions.add('SECRET');
    recording.write('shown');
    const socket = await follow('desk/SECRET');
    await waitFor(() => text(socket).includes('shown'), { describe: 'the screen came' });
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: [] } });
    recording.write('hidden');
    await waitFor(() => recording.listeners() === 0, { describe: 'the owner has ended it', timeoutMs: 8_000 });
    // The answer comes after everything that the owner had sent before.
    await laptop.ask('desk', 'getSession', 'SECRET');
    expect(text(socket)).not.toContain('hidden');
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type'] } });
    await waitFor(() => text(socket).includes('hidden'), {
      describe: 'the right is back',
      timeoutMs: 8_000,
      actual: () => socket.frames.slice(-4),
    });
    socket.ws.close();

    const wrong = await follow('desk/NOTHING');
    expect(await wrong.next('error')).toMatchObject({ session: 'desk/NOTHING', error: { code: 'no_such_session' } });
    wrong.send({ type: 'subscribe', sessions: ['nowhere/X', 'laptop/X'] });
    expect(await wrong.next('error')).toMatchObject({ session: 'nowhere/X', error: { code: 'no_such_machine' } });
    expect(await wrong.next('error')).toMatchObject({ session: 'laptop/X', error: { code: 'no_such_session' } });
    wrong.ws.close();
  }, 30_000);

  test('a machine that is removed is gone within a second, whether it watches or is watched', async () => {
    const recording = desk.sessions.add('LAST');
    tower.sessions.add('GONE');
    old.sessions.add('OLD-GONE');
    const [mine, theirs, read] = await Promise.all(
      ['desk/LAST', 'tower/GONE', 'old/OLD-GONE'].map((name) => follow(name)),
    );
    if (mine === undefined || theirs === undefined || read === undefined) throw new Error('no client');
    await waitFor(() => recording.listeners() > 0, { describe: 'it is followed' });
    await waitFor(() => theirs.of('stream').length > 0, { describe: 'the other one is followed' });
    const measure = async (machine: string, isGone: () => boolean): Promise<number> => {
      const begin = performance.now();
      await desk.call('/fleet/remove', { body: { machine } });
      await waitFor(isGone, { describe: `${machine} is gone` });
      return performance.now() - begin;
    };
    const end = (socket: TestSocket<StreamFrame>): unknown => socket.of('error').at(-1)?.error.code;
    expect(await measure('tower', () => end(theirs) === 'no_such_machine')).toBeLessThan(1_000);
    await measure('old', () => end(read) === 'no_such_machine');
    expect(await measure('laptop', () => recording.listeners() === 0)).toBeLessThan(1_000);
    mine.ws.close();
    theirs.ws.close();
    read.ws.close();
  });
});
