import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReplayFrame, ReplayInfo, ReplayOutput } from '../../../src/protocol/index.ts';
import { systemClock } from '../../../src/server/clock.ts';
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

test('a player asks what there is, for the screen at a time, and for what follows', async () => {
  write(1, 'one');
  write(0.5, ' ❯ two');
  const info = ReplayInfo.parse((await callRoute(server, 'replay', { params })).json());
  expect(info).toEqual({
    started_at: '2026-11-20T15:04:05.000Z',
    duration_s: 1.5,
    cols: 80,
    rows: 24,
    epoch: 0,
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

test('a session without a recording has no past, nor has one that is not listed', async () => {
  server.sessions.addWithoutRecording('SEEN');
  for (const name of ['replay', 'replayOutput'] as const) {
    expect((await callRoute(server, name, { params: { slug: 'SEEN' } })).code()).toBe('no_recording');
    expect((await callRoute(server, name, { params: { slug: 'NONE' } })).code()).toBe('no_such_session');
  }
});

test('a recording that was replaced begins anew, with its own epoch', async () => {
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

test('keyframes are made while a recording grows, without anybody asking', async () => {
  const replays = createReplays(systemClock);
  const stop = growKeyframes({ sessions: server.sessions, replays, clock: systemClock, logger: console });
  server.world.onDispose(async () => {
    stop();
    await replays.close();
  });
  for (let count = 0; count < 30; count++) write(0.1, `${'x'.repeat(99)}\n`.repeat(400));
  const keyframes = join(server.world.streamDir, 'AUTH.keyframes');
  await waitFor(() => existsSync(keyframes), { describe: 'the keyframes are there' });
});
