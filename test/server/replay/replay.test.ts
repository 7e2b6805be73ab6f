import { appendFileSync, existsSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeptRecording, ReplayFrame, ReplayInfo, ReplayOutput } from '../../../src/protocol/index.ts';
import { createSystemClock } from '../../../src/server/clock.ts';
import { growKeyframes } from '../../../src/server/replay/grow-keyframes.ts';
import { createReplays } from '../../../src/server/replay/replays.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { HEADER, type MemoryRecording } from '../../harness/memory-recording.ts';
import { callRoute } from '../../harness/rest.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
let recording: MemoryRecording;
beforeEach(async () => {
  server = await startFaces();
  recording = server.sessions.add('AUTH');
  recording.timing = join(server.world.streamDir, 'AUTH.timing');
  writeFileSync(recording.timing, '');
});
afterEach(() => server[Symbol.asyncDispose]());

function write(delay: number, text: string): void {
  recording.write(text);
  appendFileSync(recording.timing ?? '', `O ${delay.toFixed(6)} ${Buffer.byteLength(text)}\n`);
}

const params = { slug: 'AUTH' };

test('a player requests what exists, the screen at a time, and the output after it', async () => {
  write(1, 'one');
  write(0.5, ' ❯ two');
  const info = ReplayInfo.parse((await callRoute(server, 'replay', { params })).json());
  expect(info).toEqual({
    started_at: '2026-11-20T15:04:05.000Z',
    duration_s: 1.5,
    cols: 80,
    rows: 24,
    epoch: 0,
    file: server.sessions.stream('AUTH').file(),
    size_bytes: HEADER.length + 11,
    available_from: 0,
    available_from_s: 0,
    timed: true,
  });
  const frame = ReplayFrame.parse((await callRoute(server, 'replayFrame', { params, query: { t: '1' } })).json());
  expect(frame).toEqual({ t: 1, offset: HEADER.length + 3, cols: 80, rows: 24, data: 'one' });
  const rest = ReplayOutput.parse((await callRoute(server, 'replayOutput', { params, query: { from: '1' } })).json());
  expect(rest).toEqual({ events: [[1.5, 'o', ' ❯ two']], next: null });
});

test('a search hit’s offset leads to its screen and time', async () => {
  write(1, 'one');
  write(7, ' two');
  const query = { offset: String(HEADER.length + 5) };
  const frame = ReplayFrame.parse((await callRoute(server, 'replayFrame', { params, query })).json());
  expect(frame).toMatchObject({ t: 8, data: 'one two' });
});

test.each([{}, { t: '1', offset: '3' }, { t: '-1' }, { t: 'x' }, { offset: '1.5' }])(
  'a frame of %o is refused',
  async (query) => {
    expect((await callRoute(server, 'replayFrame', { params, query })).code()).toBe('invalid_request');
  },
);

test.each([{ from: '-1' }, { limit: '0' }, { limit: '2000000' }])('output of %o is refused', async (query) => {
  expect((await callRoute(server, 'replayOutput', { params, query })).code()).toBe('invalid_request');
});

test('a session without a recording has no past, nor does one that is not listed', async () => {
  server.sessions.addWithoutRecording('SEEN');
  for (const name of ['replay', 'replayOutput'] as const) {
    expect((await callRoute(server, name, { params: { slug: 'SEEN' } })).code()).toBe('no_recording');
    expect((await callRoute(server, name, { params: { slug: 'NONE' } })).code()).toBe('no_such_session');
  }
});

test('a recording that was replaced begins again, with its own epoch', async () => {
  write(1, 'old');
  await callRoute(server, 'replay', { params });
  recording.replace();
  writeFileSync(recording.timing ?? '', '');
  write(2, 'new');
  const info = ReplayInfo.parse((await callRoute(server, 'replay', { params })).json());
  expect(info).toMatchObject({ epoch: 1, duration_s: 2 });
  const frame = ReplayFrame.parse((await callRoute(server, 'replayFrame', { params, query: { t: '9' } })).json());
  expect(frame.data).toBe('new');
});

describe('a recording that a restart moved aside', () => {
  const older = (name: 'replay' | 'replayFrame' | 'replayOutput', query: Record<string, string>) =>
    callRoute(server, name, { params, query });
  /** Moves the files of the recording aside, as a restart does. */
  function moveAside(number: number): void {
    const base = join(server.world.streamDir, 'AUTH');
    recording.replace();
    renameSync(`${base}.typescript.${recording.epoch()}`, `${base}.${number}.typescript`);
    renameSync(`${base}.timing`, `${base}.${number}.timing`);
    writeFileSync(`${base}.timing`, '');
  }

  test('is listed, newest first, and plays next to the current one', async () => {
    expect((await callRoute(server, 'olderRecordings', { params })).json()).toEqual([]);
    write(1, 'the first');
    moveAside(9);
    write(2, 'the second');
    moveAside(10);
    write(3, 'the third');
    writeFileSync(join(server.world.streamDir, 'AUTH.x.typescript'), 'nobody’s');
    const listed = KeptRecording.array().parse((await callRoute(server, 'olderRecordings', { params })).json());
    expect(listed.map((one) => one.recording)).toEqual(['AUTH.10', 'AUTH.9']);
    expect(listed[1]).toMatchObject({ started_at: '2026-11-20T15:04:05.000Z', size_bytes: HEADER.length + 9 });
    const durations: unknown[] = [];
    for (const name of ['AUTH.9', 'AUTH.10', 'AUTH']) {
      durations.push(ReplayInfo.parse((await older('replay', { recording: name })).json()).duration_s);
      const frame = ReplayFrame.parse((await older('replayFrame', { t: '9', recording: name })).json());
      expect(frame.data).toBe({ 'AUTH.9': 'the first', 'AUTH.10': 'the second', AUTH: 'the third' }[name]);
    }
    expect(durations).toEqual([1, 2, 3]);
    const rest = ReplayOutput.parse((await older('replayOutput', { recording: 'AUTH.9' })).json());
    expect(rest).toEqual({ events: [[1, 'o', 'the first']], next: null });
  });

  test('is played, among many, without keeping all of them open', async () => {
    for (let number = 1; number <= 12; number++) {
      write(number, `number ${number}`);
      moveAside(number);
    }
    const before = openFiles();
    for (let number = 1; number <= 12; number++) {
      const frame = await older('replayFrame', { t: '99', recording: `AUTH.${number}` });
      expect(ReplayFrame.parse(frame.json()).data).toBe(`number ${number}`);
    }
    expect(openFiles() - before).toBeLessThanOrEqual(4 * 3);
  });

  test.each(['AUTH.7', 'OTHER', 'AUTH.typescript'])(
    'that does not exist is not a file that can be requested: %s',
    async (name) => {
      expect((await older('replay', { recording: name })).code()).toMatch(/^(no_recording|invalid_request)$/);
    },
  );

  test.each(['../AUTH', 'AUTH/../AUTH.1', '/etc/passwd', 'AUTH.1/..', ''])(
    'is a name, never a path: %j',
    async (name) => {
      expect((await older('replay', { recording: name })).code()).toBe('invalid_request');
    },
  );
});

/** Returns how many files of recordings this process has open. */
function openFiles(): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // The descriptor that read the directory.
    }
  });
  return links.filter((target) => /\.(typescript|timing|keyframes)$/.test(target)).length;
}

test('keyframes are made while a recording grows, without a request', async () => {
  const replays = createReplays(createSystemClock());
  const stop = growKeyframes({ sessions: server.sessions, replays, clock: createSystemClock(), logger: console });
  server.world.onDispose(async () => {
    stop();
    await replays.close();
  });
  for (let count = 0; count < 30; count++) write(0.1, `${'x'.repeat(99)}\n`.repeat(400));
  const keyframes = join(server.world.streamDir, 'AUTH.keyframes');
  await waitFor(() => existsSync(keyframes), { describe: 'the keyframes are there' });
});
