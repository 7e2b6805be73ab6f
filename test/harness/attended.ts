import type { Attended } from '../../src/core/attention/index.ts';
import type { AttentionStore } from '../../src/platform/sqlite/attention-store.ts';
import { type AttendedSessions, type AttendOptions, attend } from '../../src/server/attention/attend.ts';
import { createSystemClock } from '../../src/server/clock.ts';

const silent = (): void => undefined;

/** Keeps in memory what a database would keep. */
export function memoryAttention(): AttentionStore {
  const kept = new Map<string, Attended>();
  return { all: () => new Map(kept), save: (id, attended) => void kept.set(id, attended) };
}

/** Wraps sessions in memory with the server's record of who has looked at them. */
export function attendInMemory(
  sessions: AttendOptions['sessions'],
  options: Partial<Omit<AttendOptions, 'sessions'>> = {},
): AttendedSessions {
  const attended = attend({
    sessions,
    store: memoryAttention(),
    writes: { write: (work) => work(), demand: (work) => work() },
    clock: createSystemClock(),
    log: { debug: silent, info: silent, warn: silent, error: silent },
    onWaiting: silent,
    ...options,
  });
  attended.start();
  return attended;
}
