import { unlinkSync } from 'node:fs';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { HEADER, type MemoryRecording } from '../../harness/memory-recording.ts';

let server: FacesUnderTest;
let recording: MemoryRecording;
const OUTPUT = Buffer.from([0x41, 0xff, 0x00, 0xe2, 0x9d, 0xaf, 0x1b, 0x5b, 0x6d, 0xe2]);
const ALL = Buffer.concat([Buffer.from(HEADER), OUTPUT]);
beforeEach(async () => {
  server = await startFaces();
  recording = server.sessions.add('AUTH');
  recording.write(OUTPUT);
});
afterEach(() => server[Symbol.asyncDispose]());

const get = (query = '', headers: Record<string, string> = {}, method = 'GET') =>
  server.call(`/sessions/AUTH/stream${query}`, { headers, method });

test("the recording arrives byte for byte, script's header line included, marked as not a page", async () => {
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(answer.bytes.equals(ALL)).toBe(true);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(ALL.length),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  });
});

test('from an offset on, up to the end and not beyond', async () => {
  for (const from of [0, 1, HEADER.length, ALL.length - 1, ALL.length]) {
    const answer = await get(`?from=${from}`);
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(ALL.subarray(from))).toBe(true);
  }
  const beyond = await get(`?from=${ALL.length + 1}`);
  expect(beyond.status).toBe(416);
  expect(beyond.code()).toBe('range_not_satisfiable');
});

test.each(['-1', '1.5', 'x', '1e99'])('from=%s is refused', async (from) => {
  expect((await get(`?from=${from}`)).code()).toBe('invalid_request');
});

test.each([
  ['bytes=0-9', 0, 9],
  ['bytes=5-5', 5, 5],
  ['bytes=100-', 100, ALL.length - 1],
  ['bytes=-4', ALL.length - 4, ALL.length - 1],
  ['bytes=-999999', 0, ALL.length - 1],
  ['bytes=3-999999', 3, ALL.length - 1],
])('the range %s', async (range, first, last) => {
  const answer = await get('', { range });
  expect(answer.status).toBe(206);
  expect(answer.headers['content-range']).toBe(`bytes ${first}-${last}/${ALL.length}`);
  expect(answer.bytes.equals(ALL.subarray(first, last + 1))).toBe(true);
});

test('a range counts from the offset', async () => {
  const answer = await get(`?from=${HEADER.length}`, { range: 'bytes=1-2' });
  expect(answer.headers['content-range']).toBe(`bytes 1-2/${OUTPUT.length}`);
  expect(answer.bytes.equals(OUTPUT.subarray(1, 3))).toBe(true);
});

test.each([`bytes=${ALL.length}-`, 'bytes=-0'])('the range %s does not exist', async (range) => {
  const answer = await get('', { range });
  expect(answer.status).toBe(416);
  expect(answer.headers['content-range']).toBe(`bytes */${ALL.length}`);
});

test.each(['bytes=9-3', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=', 'bytes=-', 'bytes=a-b'])(
  'the range %s is ignored, as the standard allows',
  async (range) => {
    const answer = await get('', { range });
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBe(ALL.length);
  },
);

test('a range that applies only to a version gets everything, because a growing file has no version', async () => {
  expect((await get('', { range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200);
});

test('HEAD returns the length', async () => {
  const answer = await get('', {}, 'HEAD');
  expect(answer.headers['content-length']).toBe(String(ALL.length));
  expect(answer.bytes.length).toBe(0);
});

test('a session without a recording, and a recording whose file is gone', async () => {
  server.sessions.addWithoutRecording('SEEN');
  expect((await server.call('/sessions/SEEN/stream')).code()).toBe('no_recording');
  unlinkSync(recording.file());
  expect((await get()).code()).toBe('no_recording');
});

test('a large recording is read as the client receives it, ends where it ended, and is closed when the client leaves', async () => {
  const size = 64 * 1024 * 1024;
  recording.write(Buffer.alloc(size, 0x61));
  const total = ALL.length + size;
  const before = process.memoryUsage().rss;
  await new Promise<void>((resolve, reject) => {
    const path = '/sessions/AUTH/stream';
    const headers = { authorization: `Bearer ${TOKEN}` };
    const client = request({ host: '127.0.0.1', port: server.port, path, headers, agent: false }, (response) => {
      // Output that is written during a download is not part of the download.
      recording.write('later');
      expect(response.headers['content-length']).toBe(String(total));
      response.once('data', () => {
        response.pause();
        expect(process.memoryUsage().rss - before).toBeLessThan(size / 2);
        response.destroy();
        resolve();
      });
    });
    client.once('error', reject);
    client.end();
  });
  const whole = await get();
  expect(whole.bytes.length).toBe(total + 'later'.length);
});
