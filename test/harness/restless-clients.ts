import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** A recording that grows: its session, its file, and where its output begins. */
export interface GrowingRecording {
  slug: string;
  file: string;
  start: number;
}

export interface RestlessPlay {
  world: World;
  /** the server's address: `http://127.0.0.1:PORT` */
  url: string;
  token: string;
  recordings: readonly GrowingRecording[];
  clients: number;
  /** how much is written at least */
  totalBytes: number;
  seed: number;
}

/** How often more output is written for clients that have hardly lost a connection yet. */
const MORE_EVERY_MS = 20;
/** How many bytes are written between two checks of what the clients have received. */
const BURST_BYTES = 20_000;

/**
 * Appends output to recordings while clients that repeatedly lose their connection follow all of them by offset. Every
 * frame is compared with the bytes in the file. Resolves when every client has reached the end of every recording.
 * @throws if a client has a gap, a repetition, or bytes that differ from the file
 */
export async function playRestless(play: RestlessPlay): Promise<{ reconnects: number; snapshots: number }> {
  const files = new Map(play.recordings.map(({ slug, file }) => [slug, openSync(file, 'r')]));
  const outputs = play.recordings.map(({ file }) => openSync(file, 'a'));
  play.world.onDispose(() => [...files.values(), ...outputs].forEach(closeSync));
  const clients = Array.from({ length: play.clients }, (_, index) => new RestlessClient(play, files, index));
  play.world.onDispose(() => clients.forEach((client) => void client.close()));
  for (const client of clients) client.connect();
  const random = sequence(play.seed);
  const sum = (of: (client: RestlessClient) => number): number =>
    clients.reduce((total, client) => total + of(client), 0);
  // On a busy machine, the output is written before most clients have lost a connection. More is written then.
  const isDue = (written: number): boolean =>
    written < play.totalBytes || sum(({ reconnects }) => reconnects) <= play.clients;
  for (let written = 0, turn = 0, pause = BURST_BYTES; isDue(written); turn++) {
    const index = turn % play.recordings.length;
    const bytes = someOutput(random);
    // The output is split anywhere, even within characters.
    const cut = Math.floor(random() * bytes.length);
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) writeSync(outputs[index] ?? -1, piece);
    written += bytes.length;
    if (written < pause) continue;
    pause = written + BURST_BYTES;
    await (written < play.totalBytes ? nextTurn() : delay(MORE_EVERY_MS));
    for (const { failure } of clients) if (failure !== null) throw failure;
  }
  const ends = new Map([...files].map(([slug, file]) => [slug, fstatSync(file).size]));
  await waitFor(() => clients.every((client) => client.failure !== null || client.lag(ends) === 0), {
    describe: 'every client has all the output',
    actual: () => `bytes that each lacks: ${clients.map((client) => client.lag(ends)).join(', ')}`,
    timeoutMs: 90_000,
  });
  for (const { failure } of clients) if (failure !== null) throw failure;
  return { reconnects: sum((client) => client.reconnects), snapshots: sum((client) => client.snapshots) };
}

/** Returns numbers that look random but are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const ALPHABET = ['a', '❯', '\u001b[31m', '漢', '\r\n', '👩‍💻', 'text of an answer '];

function someOutput(random: () => number): Buffer {
  const length = 200 + Math.floor(random() * 2_000);
  return Buffer.from(Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? '').join(''));
}

interface OutputFrame {
  type: string;
  session: string;
  data: string;
  offset: number;
  snapshot?: true;
}

/**
 * A client that repeatedly loses its connection and continues by offset. Every second client acknowledges the data that
 * it receives.
 */
class RestlessClient {
  reconnects = 0;
  /** how many times the client was too slow and received the screen instead; it then comes back for the bytes */
  snapshots = 0;
  failure: Error | null = null;
  readonly #play: RestlessPlay;
  readonly #files: ReadonlyMap<string, number>;
  readonly #acknowledges: boolean;
  readonly #random: () => number;
  readonly #offsets: Map<string, number>;
  #ws: WebSocket | null = null;

  constructor(play: RestlessPlay, files: ReadonlyMap<string, number>, index: number) {
    this.#play = play;
    this.#files = files;
    this.#acknowledges = index % 2 === 1;
    this.#random = sequence(play.seed + index + 1);
    this.#offsets = new Map(play.recordings.map(({ slug, start }) => [slug, start]));
  }

  /** how many bytes the client still lacks before these ends */
  lag(ends: ReadonlyMap<string, number>): number {
    return [...ends].reduce((sum, [slug, end]) => sum + end - (this.#offsets.get(slug) ?? 0), 0);
  }

  connect(): void {
    const { url, token } = this.#play;
    const ws = new WebSocket(`${url.replace('http', 'ws')}/ws/stream`, ['cbos', `bearer.${token}`]);
    this.#ws = ws;
    let left = 5 + Math.floor(this.#random() * 100);
    ws.on('open', () => {
      const from = Object.fromEntries(this.#offsets);
      ws.send(JSON.stringify({ type: 'subscribe', sessions: [...this.#offsets.keys()], from }));
    });
    ws.on('message', (data: Buffer) => {
      // Data that was still in a connection when it was abandoned is no longer read.
      if (ws !== this.#ws) return;
      const frame = JSON.parse(data.toString()) as OutputFrame;
      if (frame.type !== 'stream') return;
      if (frame.snapshot === true) this.snapshots++;
      else this.#take(ws, frame);
      if (--left > 0 && frame.snapshot !== true) return;
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

  #take(ws: WebSocket, { session, data, offset }: OutputFrame): void {
    const before = this.#offsets.get(session) ?? 0;
    const bytes = Buffer.from(data);
    const inFile = Buffer.alloc(Math.max(0, offset - before));
    readSync(this.#files.get(session) ?? -1, inFile, 0, inFile.length, before);
    if (!inFile.equals(bytes)) {
      this.failure ??= new Error(
        `${session}: a frame of ${bytes.length} bytes up to ${offset} came after ${before}, the file has others there`,
      );
      this.close();
      return;
    }
    this.#offsets.set(session, offset);
    if (this.#acknowledges) ws.send(JSON.stringify({ type: 'ack', session, offset }));
  }
}
