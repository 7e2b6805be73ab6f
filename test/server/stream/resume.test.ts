import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { HEADER, type MemoryRecording } from '../../harness/memory-recording.ts';
import { waitFor } from '../../harness/wait-for.ts';

const SESSIONS = 20;
const CLIENTS = 10;
/** The bench of the promise has 50 MB; a tenth of it shows the same faults. */
const TOTAL_BYTES = 5_000_000;

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
});
afterEach(() => server[Symbol.asyncDispose]());

/** Numbers that look random and are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A client that loses its connection again and again, and goes on by offset. */
class RestlessClient {
  readonly received = new Map<string, string[]>();
  readonly offsets = new Map<string, number>();
  reconnects = 0;
  #ws: WebSocket | null = null;
  #random: () => number;
  readonly #slugs: readonly string[];

  constructor(slugs: readonly string[], seed: number) {
    this.#slugs = slugs;
    this.#random = sequence(seed);
    for (const slug of slugs) {
      this.received.set(slug, []);
      this.offsets.set(slug, HEADER.length);
    }
  }

  connect(): void {
    const ws = new WebSocket(`ws://127.0.0.1:${server.port}/ws/stream`, ['cbos', `bearer.${TOKEN}`]);
    this.#ws = ws;
    let left = 20 + Math.floor(this.#random() * 200);
    ws.on('open', () =>
      ws.send(JSON.stringify({ type: 'subscribe', sessions: this.#slugs, from: Object.fromEntries(this.offsets) })),
    );
    ws.on('message', (data) => {
      // What a connection still had when it was given up is not read any more.
      if (ws !== this.#ws) return;
      const frame = JSON.parse(data.toString()) as {
        type: string;
        session: string;
        data: string;
        offset: number;
        snapshot?: true;
      };
      if (frame.type !== 'stream') return;
      expect(frame.snapshot).toBeUndefined();
      const before = this.offsets.get(frame.session) ?? 0;
      expect(frame.offset - Buffer.byteLength(frame.data), 'no gap and no repeat').toBe(before);
      this.offsets.set(frame.session, frame.offset);
      this.received.get(frame.session)?.push(frame.data);
      if (--left > 0) return;
      this.reconnects++;
      this.connect();
      ws.terminate();
    });
    ws.on('error', () => undefined);
  }

  close(): void {
    const ws = this.#ws;
    this.#ws = null;
    ws?.terminate();
  }
}

test('ten clients that come and go have every byte of twenty sessions, and the stream as a file is the file', async () => {
  const recordings: MemoryRecording[] = Array.from({ length: SESSIONS }, (_, index) =>
    server.sessions.add(`S${index}`),
  );
  const slugs = recordings.map(({ slug }) => slug);
  const clients = Array.from({ length: CLIENTS }, (_, index) => new RestlessClient(slugs, index + 1));
  for (const client of clients) {
    client.connect();
    server.world.onDispose(() => client.close());
  }
  const random = sequence(99);
  const alphabet = ['a', '❯', '\u001b[31m', '漢', '\r\n', '👩‍💻', 'text of an answer '];
  for (let written = 0, turn = 0; written < TOTAL_BYTES; turn++) {
    const text = Array.from(
      { length: 200 + Math.floor(random() * 2_000) },
      () => alphabet[Math.floor(random() * 7)],
    ).join('');
    const bytes = Buffer.from(text);
    written += bytes.length;
    // Cut anywhere, also within characters.
    const cut = Math.floor(random() * bytes.length);
    const recording = recordings[turn % SESSIONS];
    recording?.write(bytes.subarray(0, cut));
    recording?.write(bytes.subarray(cut));
    if (turn % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await waitFor(() => clients.every(({ offsets }) => recordings.every((one) => offsets.get(one.slug) === one.end())), {
    describe: 'every client has all of it',
    timeoutMs: 60_000,
  });
  for (const recording of recordings) {
    const output = recording.output();
    for (const client of clients)
      expect(client.received.get(recording.slug)?.join('') === output.toString()).toBe(true);
    const whole = await server.call(`/sessions/${recording.slug}/stream`);
    expect(whole.bytes.equals(Buffer.concat([Buffer.from(HEADER), output]))).toBe(true);
  }
  expect(clients.reduce((sum, { reconnects }) => sum + reconnects, 0)).toBeGreaterThan(CLIENTS);
}, 90_000);
