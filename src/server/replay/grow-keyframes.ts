import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, RecordingStream, Sessions } from '../sessions.ts';
import type { Replays } from './replays.ts';
import { watchGrowth } from './watch-growth.ts';

/**
 * How much a recording grows before keyframes are added: eight of them. Each time, the last keyframe must first be
 * drawn again in a new terminal. With a quarter of this, keyframes took a third of the server's processor time while
 * twenty sessions were writing.
 */
const GROW_BYTES = 1_048_576;
/**
 * How long to pause after each keyframe, as a multiple of the time that the keyframe took. Creating keyframes therefore
 * uses at most a fifth of a core, which is enough because nobody waits for them.
 */
const REST_PER_WORK = 4;

export interface GrowOptions {
  sessions: Pick<Sessions, 'onEvent' | 'stream' | 'streams'>;
  replays: Replays;
  clock: Clock;
  logger: Logger;
}

/**
 * Creates keyframes while recordings grow, for one recording at a time, so that jumps in a replay are fast later.
 * @returns a function that stops the work
 */
export function growKeyframes({ sessions, replays, clock, logger }: GrowOptions): Dispose {
  let work: Promise<void> = Promise.resolve();

  async function grow(stream: RecordingStream): Promise<void> {
    if (!growth.has(stream)) return;
    let began = clock.elapsed();
    const rest = () =>
      new Promise<void>((resolve) => {
        clock.after((clock.elapsed() - began) * REST_PER_WORK, () => {
          began = clock.elapsed();
          resolve();
        });
      });
    try {
      await replays.grow(stream, rest);
    } catch (error) {
      logger.warn({ err: error, session: stream.slug }, "keyframes of the session's recording could not be created");
    }
  }

  const growth = watchGrowth({
    sessions,
    everyBytes: GROW_BYTES,
    onGrown: (stream) => {
      work = work.then(() => grow(stream));
    },
    onRemoved: (stream) => void replays.forget(stream),
  });
  return () => growth.dispose();
}
