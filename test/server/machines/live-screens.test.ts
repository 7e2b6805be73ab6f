import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_LAG_BYTES } from '../../../src/core/stream/index.ts';
import type { StreamFrame } from '../../../src/protocol/index.ts';
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
import { waitFor } from '../../harness/wait-for.ts';

let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let guest: MachineUnderTest;
/** the laptop's link to NATS */
let link: CuttingProxy;

type Stream = Extract<StreamFrame, { type: 'stream' }>;

/** A client of the laptop that follows a session of the desk. It acknowledges what it receives, unless it is slow. */
async function follow(slug: string, options: { from?: number; isSlow?: boolean } = {}) {
  const socket = await laptop.connectStream();
  const name = `desk/${slug}`;
  const ack = (offset: number): void => socket.send({ type: 'ack', session: name, offset });
  socket.ws.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as StreamFrame;
    if (frame.type === 'stream' && options.isSlow !== true) ack(frame.offset);
  });
  const { from } = options;
  socket.send({ type: 'subscribe', sessions: [name], ...(from === undefined ? {} : { from: { [name]: from } }) });
  return { socket, ack, leave: () => socket.ws.close(), ...reading(socket) };
}

function reading(socket: TestSocket<StreamFrame>) {
  const streams = (): Stream[] => socket.of('stream');
  const offset = (): number => streams().at(-1)?.offset ?? -1;
  return {
    streams,
    offset,
    /** the output since the last screen that was sent whole */
    text: () =>
      streams()
        .slice(streams().findLastIndex(({ snapshot }) => snapshot === true) + 1)
        .map(({ data }) => data)
        .join(''),
    until: (end: () => number) =>
      waitFor(() => offset() === end(), { describe: 'all output has come', actual: () => [offset(), end()] }),
  };
}

describe.skipIf(!hasNatsServer)('a session of another machine, followed over /ws/stream', () => {
  beforeAll(async () => {
    [desk, laptop, guest] = await Promise.all([startMachine('desk'), startMachine('laptop'), startMachine('guest')]);
    await found(desk);
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type'] } });
    await joinFleet(laptop, await invite(desk, ['see', 'type']), ['see']);
    await joinFleet(guest, await invite(desk, ['answer']), ['see']);
    link = await connectThroughLink(laptop, desk);
  }, 90_000);
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await stopMachines(guest, laptop, desk);
  });

  test('comes byte by byte, is followed once for all clients, and not at all when the last one has left', async () => {
    const recording = desk.sessions.add('SHARED');
    recording.write('before ');
    const one = await follow('SHARED');
    await one.until(recording.end);
    const listeners = recording.listeners();
    expect(listeners).toBeGreaterThan(0);
    const other = await follow('SHARED');
    await other.until(recording.end);
    expect(recording.listeners()).toBe(listeners);
    for (const said of ['✻ é ', '\u001b[1mbold\u001b[0m', Buffer.from([0xf0, 0x9f]), Buffer.from([0x98, 0x80, 0xff])]) {
      recording.write(said);
      if (typeof said === 'string') await Promise.all([one.until(recording.end), other.until(recording.end)]);
    }
    await Promise.all([one.until(recording.end), other.until(recording.end)]);
    for (const { text, streams } of [one, other]) {
      expect(streams()[0]).toMatchObject({ snapshot: true, data: expect.stringContaining('before') });
      expect(text()).toBe('✻ é \u001b[1mbold\u001b[0m😀\ufffd');
    }
    one.leave();
    recording.write('later');
    await other.until(recording.end);
    other.leave();
    await waitFor(() => recording.listeners() === 0, { describe: 'nothing of it is left at the owner' });
  });

  test('continues by offset when a client comes back', async () => {
    const recording = desk.sessions.add('RESUMED');
    recording.write('before ');
    const one = await follow('RESUMED');
    await one.until(recording.end);
    const from = one.offset();
    one.leave();
    await waitFor(() => recording.listeners() === 0, { describe: 'the client is gone' });
    recording.write('missed '.repeat(20_000));
    const again = await follow('RESUMED', { from });
    await again.until(recording.end);
    expect(again.streams().some(({ snapshot }) => snapshot === true)).toBe(false);
    expect(again.text()).toBe('missed '.repeat(20_000));
    again.leave();
  });

  test('keeps its place while the link is cut and delayed: nothing is lost or comes twice', async () => {
    const recording = desk.sessions.add('CUT');
    recording.write('begin');
    const one = await follow('CUT');
    await one.until(recording.end);
    let written = '';
    for (let round = 0; round < 6; round++) {
      if (round % 2 === 0) link.cut();
      else link.hold(300);
      for (let line = 0; line < 20; line++) {
        const said = `round ${round} line ${line} ✻é\r\n`;
        written += said;
        recording.write(said);
      }
      if (round % 3 === 2) await one.until(recording.end);
    }
    await one.until(recording.end);
    expect(one.text()).toBe(written);
    expect(one.socket.of('error')).toEqual([]);
    one.leave();
  });

  test('continues after its owner was stopped and is back, and after the recording was replaced', async () => {
    const recording = desk.sessions.add('BACK');
    recording.write('begin ');
    const one = await follow('BACK');
    one.socket.send({ type: 'follow_fleet' });
    await one.until(recording.end);
    await desk.stop();
    const machine = () => one.socket.of('machine').findLast(({ machine: name }) => name === 'desk');
    await waitFor(() => machine()?.reachable === false, { describe: 'the owner is known to be gone' });
    recording.write('while it was away ');
    await desk.startAgain();
    await one.until(recording.end);
    expect(one.text()).toBe('while it was away ');
    await waitFor(() => machine()?.reachable === true, { describe: 'the owner is known to be back' });
    recording.replace();
    recording.write('anew');
    await one.until(recording.end);
    expect(one.socket.of('reset').map(({ session }) => session)).toEqual(['desk/BACK']);
    expect(one.streams().at(-1)?.data ?? '').toContain('anew');
    one.leave();
  }, 40_000);

  test('of a slow client fills memory nowhere, and does not slow down another client', async () => {
    const recording = desk.sessions.add('FLOOD');
    recording.write('begin ');
    const slow = await follow('FLOOD', { isSlow: true });
    await slow.until(recording.end);
    slow.ack(slow.offset());
    const piece = 'flood '.repeat(20_000);
    for (let count = 0; count < 20; count++) recording.write(piece);
    await waitFor(() => slow.streams().length > 1, { describe: 'some of the flood has come' });
    // The client acknowledges nothing more.
    const isAtRest = (): boolean => {
      recording.write('more '.repeat(6_000));
      return recording.listeners() === 0;
    };
    await waitFor(isAtRest, { describe: 'the owner sends nothing that no client takes' });
    const fast = await follow('FLOOD');
    await fast.until(recording.end);
    for (let count = 0; count < 20; count++) {
      recording.write(piece);
      if (count % 4 === 0) await fast.until(recording.end);
    }
    recording.write('the end');
    await fast.until(recording.end);
    const got = (): number => slow.streams().reduce((sum, { data }) => sum + data.length, 0);
    expect(got()).toBeLessThan(MAX_LAG_BYTES);
    fast.leave();
    slow.ack(slow.offset());
    await slow.until(recording.end);
    expect(slow.streams().at(-1)?.data ?? '').toContain('the end');
    expect(got()).toBeLessThan(2 * MAX_LAG_BYTES);
    slow.leave();
  }, 60_000);

  test('has the size of the session, which comes before the output that was drawn for it', async () => {
    const recording = desk.sessions.add('SIZED', { cols: 80, rows: 24 });
    const one = await follow('SIZED');
    await one.until(recording.end);
    await desk.sessions.resize('SIZED', 100, 30);
    recording.write('wide');
    await one.until(recording.end);
    const frames = one.socket.frames.filter(({ type }) => type === 'resized' || type === 'stream');
    expect(frames.slice(-2)).toMatchObject([
      { type: 'resized', session: 'desk/SIZED', cols: 100, rows: 30 },
      { type: 'stream', data: 'wide' },
    ]);
    one.leave();
  });
});
