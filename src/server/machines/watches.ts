import type { z } from 'zod';
import { FRAME_BYTES } from '../../core/stream/index.ts';
import {
  CatalogueError,
  type MachineAsk,
  type Member,
  type ReadBytes,
  type WatchBegun,
  type WatchNews,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { ownRecording } from '../stream/live-recording.ts';
import { openEventSource, openTerminalSource, type WatchSource } from './watch-sources.ts';

/** How many sessions one machine may watch here at the same time. Each watch costs a listener. */
const MOST_WATCHES = 256;
/**
 * The first and the longest pause before news is sent again that a machine did not confirm, and how long to keep
 * trying. A machine that comes back later requests its watches again.
 */
const [FIRST_RETRY_MS, LAST_RETRY_MS, GIVE_UP_MS] = [500, 5_000, 60_000];

type Ask<K extends MachineAsk['kind']> = Extract<MachineAsk, { kind: K }>;

/** How a machine answered news: it wants more, it wants no more, it knows no such watch, or nobody knows. */
export type Told = 'more' | 'enough' | 'gone' | 'failed';

export interface WatchesOptions {
  sessions: Pick<Sessions, 'get' | 'stream' | 'events' | 'onEvent'>;
  boot: string;
  maySee(asker: Member['id']): boolean;
  tell(asker: Member['id'], watch: string, news: WatchNews): Promise<Told>;
  clock: Clock;
  logger: Logger;
}

/**
 * The sessions on this machine that other machines watch. A watch stores a place in the recording or among the events,
 * but no output. At most one piece of news is on its way, and the next one is sent once the other machine has confirmed
 * it. While a session shows nothing new, nothing is sent.
 */
export interface Watches {
  /** @throws CatalogueError no_such_session, no_recording, no_events */
  watch(asker: Member['id'], request: Ask<'watch'>): Promise<WatchBegun>;
  unwatch(asker: Member['id'], watch: string): void;
  /** @throws CatalogueError no_such_session, no_recording, range_not_satisfiable */
  read(request: Ask<'read'>): Promise<z.infer<typeof ReadBytes>>;
  /** Call this when this machine takes part in the fleet again. News that was not confirmed is sent again. */
  sendAgain(): void;
  /** Ends the watches of all machines except these. */
  keep(ids: ReadonlySet<string>): void;
  dispose(): void;
}

interface Watch {
  key: string;
  asker: Member['id'];
  id: string;
  source: WatchSource;
  isRunning: boolean;
  /** whether something new may have come since `next` was called */
  isDue: boolean;
  /** when the first news was sent that has not been confirmed since; null if all has been */
  failingSince: number | null;
  retryMs: number;
  stopRetry: Dispose;
}

export function createWatches(options: WatchesOptions): Watches {
  const { sessions, clock, logger } = options;
  const watches = new Map<string, Watch>();

  function end(watch: Watch): void {
    watch.stopRetry();
    watch.source.dispose();
    if (watches.get(watch.key) === watch) watches.delete(watch.key);
  }

  function keep(ids: ReadonlySet<string>): void {
    for (const watch of watches.values()) if (!ids.has(watch.asker)) end(watch);
  }

  /** Sends news until there is none, the other machine wants no more, or it does not answer. */
  async function send(watch: Watch): Promise<void> {
    watch.isDue = true;
    if (watch.isRunning) return;
    watch.isRunning = true;
    try {
      while (watches.get(watch.key) === watch && watch.isDue) {
        watch.isDue = false;
        const next = await watch.source.next();
        if (next === null) continue;
        watch.isDue = true;
        const mayStill = options.maySee(watch.asker);
        const news = mayStill ? next.news : refused(new CatalogueError('not_allowed_there'));
        const told = await options.tell(watch.asker, watch.id, news);
        if (told === 'failed') return retryLater(watch);
        watch.failingSince = null;
        watch.retryMs = FIRST_RETRY_MS;
        next.commit();
        if (told !== 'more' || !mayStill) return end(watch);
      }
    } catch (error) {
      end(watch);
      if (!(error instanceof CatalogueError)) logger.error({ err: error }, 'a session could not be watched');
      await options.tell(watch.asker, watch.id, refused(asCatalogueError(error)));
    } finally {
      watch.isRunning = false;
    }
  }

  function retryLater(watch: Watch): void {
    watch.failingSince ??= clock.elapsed();
    if (clock.elapsed() - watch.failingSince > GIVE_UP_MS) {
      end(watch);
      return;
    }
    watch.stopRetry();
    watch.stopRetry = clock.after(watch.retryMs, () => void send(watch));
    watch.retryMs = Math.min(watch.retryMs * 2, LAST_RETRY_MS);
  }

  return {
    watch: async (asker, request) => {
      const key = keyOf(asker, request.watch);
      const open = request.of === 'terminal' ? openTerminalSource : openEventSource;
      const place = request.from === undefined ? null : { from: request.from, epoch: request.epoch ?? null };
      const onNews = (): void => {
        const watch = watches.get(key);
        // While the other machine does not answer, news waits for the next attempt.
        if (watch?.failingSince === null) void send(watch);
      };
      const source = await open(sessions, { slug: request.slug, place, onNews });
      const watch: Watch = {
        ...{ key, asker, id: request.watch, source, failingSince: null, retryMs: FIRST_RETRY_MS },
        ...{ isRunning: false, isDue: false, stopRetry: () => undefined },
      };
      const known = watches.get(key);
      if (known !== undefined) end(known);
      if ([...watches.values()].filter((one) => one.asker === asker).length >= MOST_WATCHES) {
        source.dispose();
        throw new CatalogueError('machine_unreachable', 'This machine already watches too many sessions there');
      }
      watches.set(key, watch);
      // The answer to this request leaves first, because it says where the news begins.
      setImmediate(() => void send(watch));
      return { boot: options.boot, ...source.begun };
    },
    unwatch: (asker, id) => {
      const watch = watches.get(keyOf(asker, id));
      if (watch !== undefined) end(watch);
    },
    read: (request) => readBytes(sessions, request),
    sendAgain: () => {
      for (const watch of watches.values()) void send(watch);
    },
    keep,
    dispose: () => keep(new Set()),
  };
}

const keyOf = (asker: string, id: string): string => `${asker} ${id}`;

async function readBytes(
  sessions: WatchesOptions['sessions'],
  { slug, epoch, from, to }: Ask<'read'>,
): Promise<z.infer<typeof ReadBytes>> {
  const recording = ownRecording(sessions.stream(slug));
  await recording.follow();
  if (epoch !== recording.epoch() || from > to || to > recording.end()) {
    throw new CatalogueError('range_not_satisfiable', 'The recording has been replaced');
  }
  const bytes = await recording.read(from, Math.min(to, from + FRAME_BYTES));
  return { data: Buffer.from(bytes).toString('base64') };
}

const refused = (error: CatalogueError): WatchNews => ({ of: 'refused', error: error.toBody() });

const asCatalogueError = (error: unknown): CatalogueError =>
  error instanceof CatalogueError ? error : new CatalogueError('internal', 'The session could not be read there');
