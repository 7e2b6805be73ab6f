import { z } from 'zod';
import { awaySince, NEVER_THERE, noteThere } from '../core/catchup/index.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** Reports when a person last used CBOS, and since when the person has been away. */
export interface Presence {
  /** Notes that a person has looked at a session or acted on one. */
  acted(): void;
  /**
   * how many milliseconds ago a person last looked at a session or acted on one; null if nobody has done so since the
   * server started
   */
  lookedMsAgo(): number | null;
  /** when the person went away, in Unix milliseconds, even if that was before the server started; null if unknown */
  awaySince(): number | null;
}

const Kept = z.object({ lastAt: z.number().nullable(), leftAt: z.number().nullable() });

/**
 * The shortest time between two writes of the presence file. Because of this delay, a catch-up may begin a minute too
 * early, which does no harm.
 */
const WRITE_EVERY_MS = 60_000;

/**
 * Remembers when a person last used CBOS. Answers given with the buttons of a sink's message do not count.
 */
export function watchPresence(options: {
  /** the file that keeps the recorded times across restarts of the server */
  file: string;
  clock: Pick<Clock, 'now' | 'elapsed'>;
  log: Pick<Logger, 'warn'>;
}): Presence {
  const { file, clock, log } = options;
  let there = NEVER_THERE;
  try {
    there = readPrivateFile(file, Kept) ?? NEVER_THERE;
  } catch (cause) {
    // The server must start even if this file cannot be read.
    log.warn({ err: cause, file }, 'the time when a person last used CBOS could not be read');
  }
  let at: number | null = null;
  let writtenAt: number | null = null;
  const acted = (): void => {
    at = clock.elapsed();
    there = noteThere(there, clock.now());
    if (writtenAt !== null && at - writtenAt < WRITE_EVERY_MS) return;
    writtenAt = at;
    try {
      writePrivateFile(file, there);
    } catch (cause) {
      // If the disk is full, the next catch-up begins too early. That is no reason to let the person's action fail.
      log.warn({ err: cause, file }, 'the time when a person last used CBOS could not be saved');
    }
  };
  return {
    acted,
    lookedMsAgo: () => (at === null ? null : clock.elapsed() - at),
    awaySince: () => awaySince(there, clock.now()),
  };
}
