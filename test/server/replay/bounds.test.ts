import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFacts, readSteps } from '../../../src/platform/recorder/index.ts';
import { openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createDropStore } from '../../../src/platform/sqlite/drop-store.ts';
import { type Recordings, ReplayFrame, ReplayInfo } from '../../../src/protocol/index.ts';
import { createSystemClock } from '../../../src/server/clock.ts';
import { keepInBounds } from '../../../src/server/replay/keep-in-bounds.ts';
import { createReplays } from '../../../src/server/replay/replays.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { HEADER, type MemoryRecording } from '../../harness/memory-recording.ts';
import { callRoute } from '../../harness/rest.ts';

const MB = 1_000_000;
const DAY_MS = 86_400_000;

let server: FacesUnderTest;
let recording: MemoryRecording;
let dir: string;
beforeEach(async () => {
  server = await startFaces();
  recording = server.sessions.add('AUTH');
  dir = server.world.streamDir;
});
afterEach(() => server[Symbol.asyncDispose]());

async function tidy(
  limits: { max_recording_size?: number; max_total_size?: number; keep_days?: number } = {},
): Promise<Recordings> {
  const replays = createReplays(createSystemClock());
  const settings = {
    stream_dir: dir,
    max_recording_size: 1_000 * MB,
    max_total_size: 1_000 * MB,
    keep_days: 90,
    ...limits,
  };
  const logger = { debug: () => undefined, info: () => undefined, warn: fail, error: fail };
  const database = openDatabase(':memory:');
  const bounds = keepInBounds({
    sessions: server.sessions,
    replays,
    drops: createDropStore(database),
    fault: () => null,
    settings,
    clock: createSystemClock(),
    logger,
    restMs: 0,
  });
  await bounds.tidy();
  const report = await bounds.report();
  bounds.dispose();
  await replays.close();
  database.close();
  return report;
}

function fail(fields: object): never {
  throw new Error(JSON.stringify(fields));
}

const allocated = (path: string) => statSync(path).blocks * 512;
const taken = () =>
  readdirSync(dir, { recursive: true }).reduce<number>((sum, name) => sum + allocated(join(dir, name.toString())), 0);

/** Returns text that packs to half its size. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex');
/** Returns text that packs to almost nothing. */
const chatter = (bytes: number) => 'what a program says\r\n'.repeat(bytes / 21);

test('a long recording takes little of the disk, and every byte of it is returned as before', async () => {
  for (let count = 0; count < 20; count++) recording.write(chatter(MB));
  const all = Buffer.concat([Buffer.from(HEADER), recording.output()]);
  await tidy();
  expect(taken()).toBeLessThan(12 * MB);
  const whole = await server.call('/sessions/AUTH/stream');
  expect(whole.bytes.equals(all)).toBe(true);
  expect(whole.headers['cbos-offset']).toBe('0');
  const ranged = await server.call('/sessions/AUTH/stream?from=1000', { headers: { range: 'bytes=2000000-4200000' } });
  expect(ranged.bytes.equals(all.subarray(2_001_000, 4_201_001))).toBe(true);
  // A stream that continues from an old offset reads the packed parts.
  const follower = await server.connectStream();
  follower.send({ type: 'subscribe', sessions: ['AUTH'], from: { AUTH: HEADER.length + 3_000_000 } });
  const frame = await follower.next('stream');
  expect(frame.data).toBe(all.subarray(frame.offset - Buffer.byteLength(frame.data), frame.offset).toString());
  expect(frame.offset - Buffer.byteLength(frame.data)).toBe(HEADER.length + 3_000_000);
});

test('beyond its limit the oldest part is dropped, this is reported everywhere, and the rest still plays', async () => {
  for (let count = 0; count < 24; count++) recording.write(noise(MB));
  const all = Buffer.concat([Buffer.from(HEADER), recording.output()]);
  const { dropped } = await tidy({ max_recording_size: 14 * MB });
  expect(taken()).toBeLessThan(14.5 * MB);
  const params = { slug: 'AUTH' };
  const info = ReplayInfo.parse((await callRoute(server, 'replay', { params })).json());
  expect(info.available_from).toBeGreaterThan(2 * MB);
  expect(info.available_from_s).toBeGreaterThan(0);
  expect(dropped).toMatchObject([{ recording: 'AUTH', reason: 'max_recording_size', whole: false }]);
  expect(dropped[0]?.bytes).toBeLessThanOrEqual(info.available_from);
  expect(info.size_bytes).toBe(all.length);
  const kept = await server.call('/sessions/AUTH/stream');
  const from = Number(kept.headers['cbos-offset']);
  expect(from).toBeGreaterThan(0);
  expect(kept.bytes.equals(all.subarray(from))).toBe(true);
  expect((await server.call('/sessions/AUTH/stream?from=5')).code()).toBe('range_not_satisfiable');
  const first = ReplayFrame.parse((await callRoute(server, 'replayFrame', { params, query: { t: '0' } })).json());
  expect(first.offset).toBe(info.available_from);
  const follower = await server.connectStream();
  follower.send({ type: 'subscribe', sessions: ['AUTH'], from: { AUTH: 5 } });
  const frame = await follower.next('stream');
  expect(frame.data).toBe(all.subarray(from, frame.offset).toString());
});

test('the timing is packed and dropped with its recording, and every time stays right', async () => {
  const written = 14;
  for (let count = 0; count < written; count++) recording.write(noise(MB));
  recording.timing = join(dir, 'AUTH.timing');
  // A row of another kind next to each row of output makes the timing as large as that of a long recording.
  const filler = `H 0.000000 NOTE ${'x'.repeat(980)}\n`;
  writeFileSync(recording.timing, `O 0.001000 1000\n${filler}`.repeat(written * 1_000));
  await tidy({ max_recording_size: 19 * MB });
  expect(taken()).toBeLessThan(20 * MB);
  const parts = readdirSync(join(dir, 'AUTH.timing.parts'));
  expect(parts.some((name) => name.startsWith('dropped-'))).toBe(true);
  expect(parts.some((name) => name.endsWith('.br'))).toBe(true);

  const info = ReplayInfo.parse((await callRoute(server, 'replay', { params: { slug: 'AUTH' } })).json());
  expect(info.duration_s).toBeCloseTo(written, 3);
  expect(info.available_from_s).toBeCloseTo((info.available_from - HEADER.length) / MB, 3);
  const source = recording.source();
  const facts = await readFacts(source);
  let [first, last, offset] = [Number.NaN, 0, info.available_from];
  for await (const step of readSteps(source, facts)) {
    if (step.kind !== 'output') continue;
    if (Number.isNaN(first)) first = step.at;
    // The rest of the recording may begin in the middle of a row.
    const row = Math.floor((offset - HEADER.length) / 1_000) + 1;
    expect(step.at).toBeCloseTo(row / 1_000, 6);
    offset += step.bytes.length;
    last = step.at;
  }
  expect(first).toBeGreaterThan(1);
  expect(last).toBeCloseTo(written, 3);
  expect(offset).toBe(readFileSync(recording.file()).length);
});

function endedRecording(name: string, ageDays: number, bytes = 10): string {
  const file = join(dir, `${name}.typescript`);
  writeFileSync(file, chatter(bytes) || 'x');
  writeFileSync(join(dir, `${name}.timing`), '');
  writeFileSync(join(dir, `${name}.cbos`), '');
  const at = (Date.now() - ageDays * DAY_MS) / 1000;
  utimesSync(file, at, at);
  return file;
}

test('ended recordings are kept for their time; those of listed sessions, and files that are not recordings, stay', async () => {
  const old = endedRecording('AUTH.1', 91);
  const young = endedRecording('AUTH.2', 89);
  const notes = join(dir, 'notes.typescript.txt');
  writeFileSync(notes, 'mine');
  const long = (Date.now() - 400 * DAY_MS) / 1000;
  utimesSync(notes, long, long);
  utimesSync(recording.file(), long, long);
  const { dropped } = await tidy();
  expect(dropped).toMatchObject([{ recording: 'AUTH.1', reason: 'keep_days', whole: true }]);
  expect(existsSync(old)).toBe(false);
  for (const ending of ['timing', 'cbos']) expect(existsSync(join(dir, `AUTH.1.${ending}`))).toBe(false);
  for (const file of [young, notes, recording.file()]) expect(existsSync(file)).toBe(true);
});

test('a session that has ended keeps its recording for its time, and stays listed without it', async () => {
  const { slug } = server.sessions.get('AUTH');
  const at = new Date(Date.now() - 91 * DAY_MS).toISOString();
  writeFileSync(join(dir, 'AUTH.cbos'), '');
  server.sessions.change(slug, { last_activity: at });
  expect((await tidy()).dropped).toEqual([]);
  expect(existsSync(recording.file())).toBe(true);
  await server.sessions.kill(slug);
  server.sessions.change(slug, { last_activity: at });
  expect((await tidy()).dropped).toMatchObject([{ recording: 'AUTH', reason: 'keep_days', whole: true }]);
  expect(readdirSync(dir)).toEqual([]);
  expect(server.sessions.get('AUTH').state).toBe('dead');
  expect((await callRoute(server, 'replay', { params: { slug } })).code()).toBe('no_recording');
  expect((await server.call('/sessions/AUTH/stream')).code()).toBe('no_recording');
});

test("a user's own recordings are never removed, neither because of their age nor for space", async () => {
  const mine = endedRecording('LECTURE', 400, 2 * MB);
  rmSync(join(dir, 'LECTURE.cbos'));
  const ended = endedRecording('A.1', 3, 2 * MB);
  await tidy({ max_total_size: MB });
  expect(existsSync(ended)).toBe(false);
  expect(readFileSync(mine).length).toBeGreaterThan(1.9 * MB);
  expect(existsSync(join(dir, 'LECTURE.timing'))).toBe(true);
});

test('over the limit for all recordings, the oldest ended ones are removed first', async () => {
  const oldest = endedRecording('A.1', 3, 2 * MB);
  const older = endedRecording('A.2', 2, 2 * MB);
  const newest = endedRecording('A.3', 1, 2 * MB);
  await tidy({ max_total_size: 4.5 * MB });
  expect([oldest, older, newest].map((file) => existsSync(file))).toEqual([false, true, true]);
  expect(readFileSync(recording.file()).length).toBe(HEADER.length);
});
