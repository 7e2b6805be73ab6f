import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import type { BudgetRule } from '../../src/core/budgets/index.ts';
import { resolveSettings } from '../../src/core/settings/index.ts';
import { openDatabase } from '../../src/platform/sqlite/database.ts';
import type { RuleStore } from '../../src/platform/sqlite/rule-store.ts';
import {
  type Recordings,
  type Session,
  SessionsFrame,
  StreamFrame,
  type WireVersion,
} from '../../src/protocol/index.ts';
import type { Approvals } from '../../src/server/approval/approvals.ts';
import { type Clock, createSystemClock } from '../../src/server/clock.ts';
import { type FaceSettings, type Faces, startServerFaces } from '../../src/server/faces.ts';
import type { Logger } from '../../src/server/logger.ts';
import { createReplays } from '../../src/server/replay/replays.ts';
import type { Scheduler } from '../../src/server/schedules/scheduler.ts';
import type { Sessions } from '../../src/server/sessions.ts';
import type { Sinks } from '../../src/server/sinks/sinks.ts';
import { attendInMemory, memoryAttention, memoryLabels } from './attended.ts';
import { type MemoryBudgets, memoryBudgets } from './memory-budgets.ts';
import { memoryReviews } from './memory-reviews.ts';
import { memoryRules } from './memory-rules.ts';
import { memorySchedules } from './memory-schedules.ts';
import { MemorySessions } from './memory-sessions.ts';
import { memorySetUps } from './memory-set-ups.ts';
import { memorySinks } from './memory-sinks.ts';
import { waitFor } from './wait-for.ts';
import { createWorld, type World } from './world.ts';

export const TOKEN = 'a-token-for-tests-0123456789';

export interface LogLine {
  level: keyof Logger;
  fields: object;
  message: string;
}

/** A budget so large that no test reaches it. */
const FLEET_BUDGET: BudgetRule = { name: 'fleet', scope: 'fleet', of: null, unit: 'usd', limit: 10, per: 'day' };

/** A disk without any recordings. */
export const NO_RECORDINGS: Recordings = {
  dir: '/recordings',
  total_bytes: 0,
  max_total_size: 0,
  free_bytes: 0,
  fault: null,
  not_recorded: [],
  dropped: [],
};

/** A server's faces with sessions in memory, over real sockets. */
export interface FacesUnderTest extends AsyncDisposable {
  world: World;
  sessions: MemorySessions;
  faces: Faces;
  port: number;
  /** stops the server; its sessions continue, as after a kill */
  stop(): Promise<void>;
  /** starts the server again, at the same address */
  startAgain(): Promise<void>;
  /** starts the server again on another port; 0 for any free one */
  startAt(port: number): Promise<AsyncDisposable & { port: number }>;
  /** the approval rules and their decisions */
  rules: RuleStore;
  /** decides by the rules, and notifies the faces */
  approvals: Approvals;
  /** prompts at set times; nothing runs automatically */
  schedules: Scheduler;
  /** the sinks; they send nothing before their `start` */
  sinks: Sinks;
  /** the sessions' budgets, from `StartOptions.budgets` */
  budgets: MemoryBudgets;
  /** what was logged */
  log: LogLine[];
  /** how many listeners the sessions have, over all faces */
  listeners(): number;
  /** the sessions that `on_waiting` ran for */
  waited: string[];
  call(path: string, options?: CallOptions): Promise<Answered>;
  /** connects to `/ws` with the token and collects the frames */
  connectSessions(options?: ConnectOptions): Promise<TestSocket<SessionsFrame>>;
  /** connects to `/ws/stream` with the token and collects the frames */
  connectStream(options?: ConnectOptions): Promise<TestSocket<StreamFrame>>;
}

export interface StartOptions {
  settings?: Partial<FaceSettings>;
  pingIntervalMs?: number;
  clock?: Clock;
  /** directory of a built web page */
  webDir?: string;
  /** directory of the built documentation */
  docsDir?: string;
  recordings?: () => Promise<Recordings>;
  /** since when the person has been away */
  awaySince?: number;
  /** the version of the messages to other machines */
  wire?: WireVersion;
  /** by default, `$10` a day for all sessions together */
  budgets?: readonly BudgetRule[];
}

export async function startFaces(options: StartOptions = {}): Promise<FacesUnderTest> {
  const world = createWorld();
  const sessions = new MemorySessions(world.streamDir);
  const log: LogLine[] = [];
  const waited: string[] = [];
  const writer = (level: keyof Logger) => (fields: object, message: string) =>
    void log.push({ level, fields, message });
  const logger = { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
  const own = { flags: {}, environment: {}, file: null, toAbsolutePath: (path: string) => path };
  const settings: FaceSettings = {
    ...resolveSettings(own).settings,
    home: world.cbosHome,
    port: 0,
    socket: join(world.cbosHome, 'cbos.sock'),
    token: TOKEN,
    stream_dir: world.streamDir,
    turn_checkpoints: true,
    max_file_size: 1_000_000,
    ...options.settings,
  };
  const { pingIntervalMs, clock = createSystemClock() } = options;
  const replays = createReplays(clock);
  world.onDispose(() => replays.close());
  const attention = memoryAttention();
  const labels = memoryLabels();
  const listeners = new Set<symbol>();
  // One for all stores, as on a server. To create its tables takes 8 ms of processor time.
  const database = openDatabase(':memory:');
  const { desk, store, approvals, answers } = memoryRules({
    ...{ home: world.cbosHome, userHome: world.home, sessions, clock, warn: logger.warn, database },
  });
  const reviews = memoryReviews(database);
  const schedules = memorySchedules(sessions, clock, database);
  world.onDispose(async () => schedules.dispose());
  const sinks = memorySinks({ home: world.cbosHome, sessions, clock, log: logger, database });
  world.onDispose(async () => sinks.dispose());
  const budgets = memoryBudgets(sessions, clock, options.budgets ?? [FLEET_BUDGET], database);
  world.onDispose(async () => budgets.budgets.dispose());
  const start = async (at: number): Promise<Faces> => {
    const onWaiting = ({ slug }: Session): void => void waited.push(slug);
    const attended = attendInMemory(sessions, { store: attention, labels, clock, onWaiting });
    const started = await startServerFaces({
      sessions: { ...attended.sessions, onEvent: counting(attended.sessions, listeners) },
      book: attended.book,
      sessionOf: () => null,
      pid: process.pid,
      replays,
      rules: desk,
      reviews,
      answers,
      awaySince: () => options.awaySince ?? null,
      idOf: (slug) => sessions.idOf(slug),
      schedules,
      sinks,
      budgets: budgets.desk,
      setUps: memorySetUps({ home: world.cbosHome, userHome: world.home, clock }, database),
      recordings: options.recordings ?? (async () => NO_RECORDINGS),
      settings: { ...settings, port: at },
      clock,
      logger,
      version: '1.2.3',
      environment: world.env,
      webDir: options.webDir ?? null,
      docsDir: options.docsDir ?? null,
      ...(pingIntervalMs === undefined ? {} : { pingIntervalMs }),
      ...(options.wire === undefined ? {} : { wire: options.wire }),
    }).catch((error: unknown) => {
      attended.dispose();
      throw error;
    });
    return {
      ...started,
      close: async () => {
        await started.close();
        attended.dispose();
      },
    };
  };
  const faces = await start(settings.port).catch(async (error: unknown) => {
    await world.dispose();
    throw error;
  });
  let running: Faces | null = faces;
  const stop = async (): Promise<void> => {
    await running?.close();
    running = null;
  };
  world.onDispose(stop);
  const { port } = faces.address;
  return {
    world,
    sessions,
    faces,
    port,
    stop,
    startAgain: async () => {
      running = await start(port);
    },
    startAt: async (at) => {
      const moved = await start(at);
      running = moved;
      return { port: moved.address.port, [Symbol.asyncDispose]: stop };
    },
    rules: store,
    approvals,
    schedules,
    sinks,
    budgets,
    log,
    waited,
    listeners: () => listeners.size,
    call: (path, callOptions = {}) => call({ port }, path, callOptions),
    connectSessions: (connectOptions) =>
      connect(world, { port, path: '/ws', schema: SessionsFrame, ...connectOptions }),
    connectStream: (connectOptions) =>
      connect(world, { port, path: '/ws/stream', schema: StreamFrame, ...connectOptions }),
    [Symbol.asyncDispose]: () => world.dispose(),
  };
}

export interface CallOptions {
  method?: string;
  /** null to omit the header */
  token?: string | null;
  headers?: Record<string, string | string[]>;
  /** sent as JSON */
  body?: unknown;
  /** sent unchanged */
  raw?: string | Uint8Array;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  /** the body as JSON */
  json(): unknown;
  /** the error's code */
  code(): unknown;
}

/** Wraps `onEvent` so that `listeners` contains everybody who is listening now. */
function counting(sessions: Pick<Sessions, 'onEvent'>, listeners: Set<symbol>): Sessions['onEvent'] {
  return (listener) => {
    const key = Symbol();
    listeners.add(key);
    const stop = sessions.onEvent(listener);
    return () => {
      listeners.delete(key);
      stop();
    };
  };
}

/** Sends a request with Node's own client, which accepts any Host, any path, and several headers with the same name. */
export function call(
  where: { port: number } | { socketPath: string },
  path: string,
  options: CallOptions = {},
): Promise<Answered> {
  const { method, token = TOKEN, body, raw } = options;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers: Record<string, string | string[]> = {
    ...(token === null || 'socketPath' in where ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...where,
      host: '127.0.0.1',
      path,
      method: method ?? (payload === undefined ? 'GET' : 'POST'),
      headers,
      setHost: !('host' in headers),
      agent: false,
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const bytes = Buffer.concat(chunks);
        const json = (): unknown => JSON.parse(bytes.toString());
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text: bytes.toString(),
          json,
          code: () => (json() as { error: { code: string } }).error.code,
        });
      });
    });
    request.end(payload);
  });
}

export interface ConnectOptions {
  token?: string | null;
  protocols?: string[];
  headers?: Record<string, string>;
  origin?: string;
}

async function connect<F extends AnyFrame>(
  world: World,
  options: ConnectOptions & { port: number; path: string; schema: z.ZodType<F> },
): Promise<TestSocket<F>> {
  const socket = new TestSocket(`ws://127.0.0.1:${options.port}${options.path}`, options.schema, options);
  world.onDispose(() => socket.ws.terminate());
  await socket.opened();
  return socket;
}

type AnyFrame = SessionsFrame | StreamFrame;
type FrameOf<F extends AnyFrame, T extends F['type']> = Extract<F, { type: T }>;

/** A client that keeps every frame it receives. Each frame is checked against its schema. */
export class TestSocket<F extends AnyFrame> {
  readonly ws: WebSocket;
  readonly frames: F[] = [];
  /** code of the close frame; null while open */
  closed: number | null = null;
  #read = 0;
  readonly #opened: Promise<void>;

  constructor(url: string, schema: z.ZodType<F>, options: ConnectOptions = {}) {
    const { token = TOKEN, protocols = [], headers = {}, origin } = options;
    this.ws = new WebSocket(url, protocols, {
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(origin === undefined ? {} : { origin }),
    });
    this.#opened = new Promise((resolve, reject) => {
      this.ws.once('open', resolve);
      this.ws.once('error', reject);
      this.ws.once('unexpected-response', (_, response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.once('end', () => reject(new Error(`${response.statusCode} ${body}`)));
      });
    });
    this.ws.on('message', (data) => {
      const sent: unknown = JSON.parse(data.toString());
      const frame = schema.parse(sent);
      // The schema drops unknown fields, so a field that it does not describe shows up as a difference.
      if (!isDeepStrictEqual(frame, sent)) throw new Error(`a frame with undescribed fields: ${data.toString()}`);
      this.frames.push(frame);
    });
    this.ws.on('close', (code) => {
      this.closed = code;
    });
  }

  opened(): Promise<void> {
    return this.#opened;
  }

  send(frame: object | string): void {
    this.ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Returns the next frame of a type, after the last one that was returned. Frames in between are skipped. */
  async next<T extends F['type']>(type: T): Promise<FrameOf<F, T>> {
    const isWanted = (frame: F): frame is FrameOf<F, T> => frame.type === type;
    const found: FrameOf<F, T>[] = [];
    await waitFor(
      () => {
        for (; this.#read < this.frames.length && found.length === 0; this.#read++) {
          const frame = this.frames[this.#read];
          if (frame !== undefined && isWanted(frame)) found.push(frame);
        }
        return found.length > 0;
      },
      {
        describe: `a frame of type ${type} comes`,
        actual: () => this.frames.slice(-5).map((other) => JSON.stringify(other).slice(0, 200)),
      },
    );
    const [frame] = found;
    if (frame === undefined) throw new Error('waited for nothing');
    return frame;
  }

  of<T extends F['type']>(type: T): FrameOf<F, T>[] {
    return this.frames.filter((frame): frame is FrameOf<F, T> => frame.type === type);
  }
}
