import { GROW_BYTES } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, RecordingStream, Sessions } from '../sessions.ts';
import type { Replays } from './replays.ts';

/** After each keyframe so much rest for one part of work: a fifth of a core at the most, and nobody waits for it. */
const REST_PER_WORK = 4;

export interface GrowOptions {
  sessions: Sessions;
  replays: Replays;
  clock: Clock;
  logger: Logger;
}

/**
 * Makes keyframes of recordings while they grow, one recording at a time, so that a jump is quick later.
 * @returns the disposer
 */
export function growKeyframes({ sessions, replays, clock, logger }: GrowOptions): Dispose {
  const watched = new Map<RecordingStream, Dispose>();
  let work: Promise<void> = Promise.resolve();

  async function grow(stream: RecordingStream): Promise<void> {
    if (!watched.has(stream)) return;
    let began = clock.now();
    const rest = () =>
      new Promise<void>((resolve) => {
        clock.after((clock.now() - began) * REST_PER_WORK, () => {
          began = clock.now();
          resolve();
        });
      });
    try {
      await replays.grow(stream, rest);
    } catch (error) {
      logger.warn({ err: error, session: stream.slug }, 'no keyframes could be made of its recording');
    }
  }

  function watch(slug: string): void {
    if (!sessions.streams().includes(slug)) return;
    const stream = sessions.stream(slug);
    if (watched.has(stream)) return;
    let fresh = 0;
    const stop = stream.onBytes((bytes) => {
      fresh += bytes.length;
      if (fresh < GROW_BYTES) return;
      fresh = 0;
      work = work.then(() => grow(stream));
    });
    watched.set(stream, stop);
  }

  function forgetRemoved(): void {
    const kept = new Set(sessions.streams().map((slug) => sessions.stream(slug)));
    for (const [stream, stop] of watched) {
      if (kept.has(stream)) continue;
      stop();
      watched.delete(stream);
      void replays.forget(stream);
    }
  }

  const stopEvents = sessions.onEvent((event) => {
    if (event.kind === 'removed') forgetRemoved();
    else if (event.kind === 'added' || event.kind === 'updated') watch(event.session.slug);
  });
  for (const slug of sessions.streams()) watch(slug);
  return () => {
    stopEvents();
    for (const stop of watched.values()) stop();
    watched.clear();
  };
}
