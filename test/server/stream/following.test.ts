import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_LAG_BYTES, WINDOW_BYTES } from '../../../src/core/stream/index.ts';
import type { StreamFrame } from '../../../src/protocol/index.ts';
import { HIGH_WATER_BYTES } from '../../../src/server/stream/client-socket.ts';
import { type FacesUnderTest, startFaces, type TestSocket } from '../../harness/faces.ts';
import { Follower } from '../../harness/follower.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { HEADER, type MemoryRecording } from '../../harness/memory-recording.ts';
import { waitFor } from '../../harness/wait-for.ts';

const MiB = 1024 * 1024;
let server: FacesUnderTest;
let recording: MemoryRecording;
beforeEach(async () => {
  server = await startFaces();
  recording = server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

async function follow(from?: number): Promise<{ socket: TestSocket<StreamFrame>; follower: Follower }> {
  const socket = await server.connectStream();
  socket.send({ type: 'subscribe', sessions: ['AUTH'], ...(from === undefined ? {} : { from: { AUTH: from } }) });
  await socket.next('subscribed');
  return { socket, follower: new Follower(socket, recording) };
}

describe('a subscriber', () => {
  test('gets the screen, then new output, each with its offset in the file', async () => {
    recording.write('before\r\n');
    const { socket, follower } = await follow();
    const snapshot = await socket.next('stream');
    expect(snapshot).toMatchObject({ snapshot: true, data: '\x1bcbefore\r\n', offset: HEADER.length + 8 });
    expect(Math.abs(snapshot.ts - Date.now() / 1000)).toBeLessThan(60);
    recording.write('after ❯');
    expect(await socket.next('stream')).toMatchObject({ data: 'after ❯', offset: HEADER.length + 8 + 9 });
    follower.check();
  });

  test('is never sent half a character', async () => {
    const { follower } = await follow();
    await waitFor(() => follower.snapshots().length === 1, { describe: 'the snapshot comes' });
    for (const byte of Buffer.from('a❯🙂é')) recording.write(Uint8Array.of(byte));
    await follower.caughtUp();
    follower.check();
    const text = follower.frames().map(({ data }) => data.replace('\x1bc', ''));
    expect(text.join('')).toBe('a❯🙂é');
  });

  test('gets U+FFFD for bytes that are not UTF-8, and offsets that count those bytes', async () => {
    const { follower } = await follow();
    await waitFor(() => follower.snapshots().length === 1, { describe: 'the snapshot comes' });
    recording.write(Uint8Array.of(0x61, 0xff, 0xe2, 0x41, 0xf0, 0x9f, 0x98));
    recording.write('z');
    await follower.caughtUp();
    follower.check();
  });

  test('gets characters that were interrupted by others, and blocks nobody', async () => {
    const { follower } = await follow();
    await waitFor(() => follower.snapshots().length === 1, { describe: 'the snapshot comes' });
    recording.write(Uint8Array.of(0xe2, 0x9d, 0xe2, 0x9d, 0xf0));
    const { follower: late } = await follow(0);
    await waitFor(() => late.offset() === recording.end() - 1, { describe: 'all but the last byte comes' });
    recording.write('x');
    await follower.caughtUp();
    await late.caughtUp();
    follower.check();
    late.check(0);
  });

  test('continues after a snapshot with the sequence in which it was cut', async () => {
    recording.write('text\x1b]0;a tit');
    const { socket, follower } = await follow();
    expect(await socket.next('stream')).toMatchObject({ data: '\x1bctext', offset: HEADER.length + 4 });
    recording.write('le\x07more');
    await follower.caughtUp();
    expect(
      follower
        .frames()
        .map(({ data }) => data)
        .join(''),
    ).toBe('\x1bctext\x1b]0;a title\x07more');
    follower.check();
  });

  test('that begins in the middle of a character gets it whole', async () => {
    const [one, two, three] = Buffer.from('❯');
    recording.write(Uint8Array.of(0x61, one ?? 0, two ?? 0));
    const { follower } = await follow();
    await waitFor(() => follower.snapshots().length === 1, { describe: 'the snapshot comes' });
    recording.write(Uint8Array.of(three ?? 0));
    await follower.caughtUp();
    expect(
      follower
        .frames()
        .map(({ data }) => data)
        .join(''),
    ).toBe('\x1bca❯');
    follower.check();
  });
});

describe('an offset', () => {
  test('is where the stream continues, without gap or repetition', async () => {
    recording.write('one two three');
    const { socket, follower } = await follow(HEADER.length + 4);
    expect(await socket.next('stream')).toMatchObject({ data: 'two three' });
    recording.write(' four');
    await follower.caughtUp();
    follower.check(HEADER.length + 4);
    expect(follower.snapshots()).toEqual([]);
  });

  test('before the output means its beginning: the header line is never data', async () => {
    recording.write('one');
    const { socket, follower } = await follow(0);
    expect(await socket.next('stream')).toMatchObject({ data: 'one', offset: HEADER.length + 3 });
    follower.check(0);
  });

  test('at the end means: only new output', async () => {
    recording.write('one');
    const { socket, follower } = await follow(recording.end());
    recording.write('two');
    expect(await socket.next('stream')).toMatchObject({ data: 'two' });
    follower.check(HEADER.length + 3);
  });

  test('beyond the end, from another recording, means a snapshot', async () => {
    recording.write('one');
    const { socket, follower } = await follow(1_000_000);
    expect(await socket.next('stream')).toMatchObject({ snapshot: true, data: '\x1bcone' });
    follower.check();
  });

  test('in a recording that nobody has read yet is as good as any', async () => {
    for (const [from, expected] of [
      [HEADER.length + 2, 'cdef'],
      [0, 'abcdef'],
      [HEADER.length + 6, ''],
      [HEADER.length + 7, '\x1bcabcdef'],
    ] as const) {
      const slug = `S${from}`;
      const one = server.sessions.add(slug);
      one.write('abcdef');
      one.unread();
      const socket = await server.connectStream();
      socket.send({ type: 'subscribe', sessions: [slug], from: { [slug]: from } });
      socket.send({ type: 'get_buffer', session: slug });
      expect((await socket.next('buffer')).data).toBe('abcdef');
      one.write('!');
      await waitFor(() => socket.of('stream').at(-1)?.offset === one.end(), { describe: 'everything arrives' });
      const text = socket.of('stream').map(({ data }) => data);
      expect(text.join('')).toBe(`${expected}!`);
    }
  });

  test('far back gets every byte from there, while more is written', async () => {
    recording.write('0123456789abcde\n'.repeat((3 * MiB) / 16));
    const { follower } = await follow(0);
    for (let index = 0; index < 50; index++) {
      recording.write(`more ❯ ${index}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await follower.caughtUp();
    expect(follower.snapshots()).toEqual([]);
    follower.check(0);
  });
});

test('whatever is written in any pieces, whoever subscribes at any time: the frames are the recording', async () => {
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => new Uint8Array(Buffer.from(text))),
    fc
      .constantFrom([0xe2, 0x9d], [0xe2], [0xf0, 0x9f, 0x98], [0xaf], [0xe0, 0x80])
      .map((some) => Uint8Array.from(some)),
    fc.constantFrom('\x1b[31', 'm', '\x1b]0;ti', 'tle\x07', '❯').map((text) => new Uint8Array(Buffer.from(text))),
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), piece }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('follow' as const), back: fc.option(fc.nat(60)) }) },
  );
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const slug = `S${count++}`;
      const one = server.sessions.add(slug);
      const followers: { follower: Follower; from: number | undefined; socket: TestSocket<StreamFrame> }[] = [];
      for (const action of [...steps, { kind: 'follow' as const, back: null }]) {
        if (action.kind === 'write') one.write(action.piece);
        else if (action.kind === 'pause') await new Promise((resolve) => setImmediate(resolve));
        else {
          const from = action.back === null ? undefined : Math.max(0, one.end() - action.back);
          const socket = await server.connectStream();
          socket.send({
            type: 'subscribe',
            sessions: [slug],
            ...(from === undefined ? {} : { from: { [slug]: from } }),
          });
          followers.push({ follower: new Follower(socket, one), from, socket });
          await socket.next('subscribed');
        }
      }
      // ASCII ends any unfinished sequence, so that every client reaches the end.
      one.write('\x18.');
      for (const { follower, from, socket } of followers) {
        await follower.caughtUp();
        follower.check(from);
        socket.ws.terminate();
      }
    }),
    { numRuns: 25 },
  );
});

describe('flow control', () => {
  const LINE = `${'x'.repeat(1023)}\n`;

  test('a client that acknowledges is never sent more than a window ahead, and continues where it stopped', async () => {
    const { socket, follower } = await follow();
    const first = await socket.next('stream');
    socket.send({ type: 'ack', session: 'AUTH', offset: first.offset });
    socket.send({ type: 'list_sessions' });
    await socket.next('sessions');
    for (let index = 0; index < 400; index++) recording.write(LINE);
    await waitFor(() => follower.offset() - first.offset > WINDOW_BYTES - 4096, { describe: 'the window is used' });
    socket.send({ type: 'get_buffer', session: 'AUTH' });
    await socket.next('buffer');
    expect(follower.offset() - first.offset).toBeLessThanOrEqual(WINDOW_BYTES);
    socket.send({ type: 'ack', session: 'AUTH', offset: follower.offset() });
    await follower.caughtUp();
    expect(follower.snapshots()).toHaveLength(1);
    follower.check();
  });

  test('one that falls too far behind gets the screen again instead of everything that it missed', async () => {
    const { socket, follower } = await follow();
    const first = await socket.next('stream');
    socket.send({ type: 'ack', session: 'AUTH', offset: first.offset });
    socket.send({ type: 'list_sessions' });
    await socket.next('sessions');
    for (let index = 0; index < (4 * MiB) / LINE.length; index++) recording.write(LINE);
    await waitFor(() => follower.offset() - first.offset > WINDOW_BYTES - 4096, { describe: 'the window is used' });
    socket.send({ type: 'ack', session: 'AUTH', offset: follower.offset() });
    await follower.caughtUp();
    expect(follower.snapshots()).toHaveLength(2);
    follower.check();
    const sent = follower.frames().reduce((sum, { data }) => sum + data.length, 0);
    expect(sent).toBeLessThan(WINDOW_BYTES + MAX_LAG_BYTES);
    recording.write('and live again');
    await follower.caughtUp();
    follower.check();
  });

  test('one that does not read is neither buffered without bound nor slows down another', async () => {
    const { socket: slow, follower: stalled } = await follow();
    await slow.next('stream');
    const { socket: fast, follower } = await follow();
    await fast.next('stream');
    slow.ws.pause();
    const block = LINE.repeat(64);
    const total = 64 * MiB;
    for (let written = 0; written < total; written += block.length) {
      recording.write(block);
      await waitFor(() => recording.end() - follower.offset() < MAX_LAG_BYTES, {
        describe: 'the fast client keeps up',
      });
    }
    await follower.caughtUp();
    expect(follower.snapshots()).toHaveLength(1);
    follower.check();
    slow.ws.resume();
    await stalled.caughtUp();
    stalled.check();
    expect(stalled.snapshots()).toHaveLength(2);
    // The client may receive as much as the system's buffers took and the connection may hold, but no more.
    const received = stalled.frames().reduce((sum, { data }) => sum + data.length, 0);
    expect(received).toBeLessThan(total / 4);
    expect(received).toBeGreaterThan(HIGH_WATER_BYTES / 2);
    recording.write('and live again');
    await stalled.caughtUp();
    stalled.check();
  });

  test('one that reads nothing while pings go unanswered behind its unread data is kept, and brought back', async () => {
    await using pinging = await startFaces({ pingIntervalMs: 800 });
    const written = pinging.sessions.add('AUTH');
    const subscribe = async (): Promise<TestSocket<StreamFrame>> => {
      const socket = await pinging.connectStream();
      socket.send({ type: 'subscribe', sessions: ['AUTH'] });
      await socket.next('stream');
      return socket;
    };
    const slow = await subscribe();
    const other = await subscribe();
    slow.ws.pause();
    for (let index = 0; index < 16; index++) written.write(LINE.repeat(1024));
    let pings = 0;
    other.ws.on('ping', () => pings++);
    await waitFor(() => pings >= 3, { describe: 'three pings passed' });
    slow.ws.resume();
    await waitFor(() => slow.of('stream').at(-1)?.offset === written.end(), {
      describe: 'the slow client is at the end',
      actual: () => slow.closed,
    });
    expect(slow.closed).toBe(null);
  });

  test('output that comes alone is sent at once, and the output after it is collected for a moment', async () => {
    const clock = new ManualClock();
    await using still = await startFaces({ clock });
    const quiet = still.sessions.add('QUIET');
    const socket = await still.connectStream();
    socket.send({ type: 'subscribe', sessions: ['QUIET'] });
    await socket.next('stream');
    quiet.write('one');
    expect(await socket.next('stream')).toMatchObject({ data: 'one' });
    for (const text of ['two ', 'three ', 'four']) quiet.write(text);
    clock.advance(5);
    expect(await socket.next('stream')).toMatchObject({ data: 'two three four' });
    clock.advance(5);
    quiet.write('five');
    expect(await socket.next('stream')).toMatchObject({ data: 'five' });
  });

  test('a burst is a few frames', async () => {
    const { socket, follower } = await follow();
    await socket.next('stream');
    for (let index = 0; index < 500; index++) recording.write('.');
    await follower.caughtUp();
    expect(follower.frames().length).toBeLessThan(10);
    follower.check();
  });
});

describe('a recording that is replaced', () => {
  test('is announced with its epoch, then begins again with a snapshot', async () => {
    recording.write('old text');
    const { socket, follower } = await follow();
    await socket.next('stream');
    recording.replace();
    recording.write('new');
    expect(await socket.next('reset')).toMatchObject({ session: 'AUTH', epoch: 1 });
    expect(await socket.next('stream')).toMatchObject({ snapshot: true, data: '\x1bcnew', offset: HEADER.length + 3 });
    recording.write(' text');
    await follower.caughtUp();
    expect(await socket.next('stream')).toMatchObject({ data: ' text' });
  });

  test('before its header line is written, which is not data then either', async () => {
    recording.write('old');
    const { socket } = await follow();
    await socket.next('stream');
    recording.replace(true);
    expect(await socket.next('stream')).toMatchObject({ snapshot: true, data: '\x1bc', offset: 0 });
    recording.write('new');
    expect(await socket.next('stream')).toMatchObject({ data: 'new', offset: HEADER.length + 3 });
  });

  test('in the middle of catching up, whatever is being read at that moment', async () => {
    for (let epoch = 1; epoch <= 20; epoch++) {
      recording.write('x'.repeat(MiB));
      const socket = await server.connectStream();
      socket.send({ type: 'subscribe', sessions: ['AUTH'], from: { AUTH: 0 } });
      await socket.next('stream');
      recording.replace();
      expect(await socket.next('reset')).toMatchObject({ epoch });
      expect(await socket.next('stream')).toMatchObject({ snapshot: true, data: '\x1bc', offset: HEADER.length });
      recording.write('new');
      expect(await socket.next('stream')).toMatchObject({ data: 'new', offset: recording.end() });
      socket.ws.terminate();
    }
  });
});
