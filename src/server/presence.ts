import { z } from 'zod';
import { awaySince, NEVER_THERE, noteThere } from '../core/catchup/index.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';
import type { Sessions } from './sessions.ts';

/** Knows whether a person is present. */
export interface Presence {
  /** the sessions for the faces, which record every action by a person */
  sessions: Sessions;
  /** null if nobody has looked or acted since the server started */
  lookedMsAgo(): number | null;
  /**
   * since when the person has been away, in Unix milliseconds, even if that was before the server started; null if
   * unknown
   */
  awaySince(): number | null;
}

const Kept = z.object({ lastAt: z.number().nullable(), leftAt: z.number().nullable() });

/** The shortest time between two writes of the file. It does not matter if a catch-up begins a minute early. */
const WRITE_EVERY_MS = 60_000;

/** Records when a person looks at a session or acts on one. Answers given with a sink's buttons do not count. */
export function watchPresence(options: {
  sessions: Sessions;
  /** keeps the times for the next server */
  file: string;
  clock: Pick<Clock, 'now' | 'elapsed'>;
  log: Pick<Logger, 'warn'>;
}): Presence {
  const { sessions: base, file, clock, log } = options;
  let there = NEVER_THERE;
  try {
    there = readPrivateFile(file, Kept) ?? NEVER_THERE;
  } catch (cause) {
    // The server must start even without this file.
    log.warn({ err: cause, file }, 'the time when a person was last there could not be read');
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
      // On a full disk, the next catch-up begins too early. No action by the person may fail because of that.
      log.warn({ err: cause, file }, 'the time when a person was last there could not be saved');
    }
  };
  const noting =
    <A extends unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      acted();
      return work(...given);
    };
  return {
    sessions: {
      ...base,
      seen: noting((slug, look) => base.seen(slug, look)),
      snooze: noting((slug, request) => base.snooze(slug, request)),
      answer: noting((slug, request) => base.answer(slug, request)),
      interrupt: noting((slug) => base.interrupt(slug)),
      keys: noting((slug, keys) => base.keys(slug, keys)),
      send: (slug, request) => {
        // A prompt from another session says nothing about a person.
        if (!('from' in request)) acted();
        return base.send(slug, request);
      },
    },
    lookedMsAgo: () => (at === null ? null : clock.elapsed() - at),
    awaySince: () => awaySince(there, clock.now()),
  };
}
