import type { Attended } from '../../src/core/attention/index.ts';
import type { Labels } from '../../src/core/labels/index.ts';
import { findMainCheckout } from '../../src/platform/git/git-dir.ts';
import type { AttentionStore } from '../../src/platform/sqlite/attention-store.ts';
import type { LabelStore } from '../../src/platform/sqlite/label-store.ts';
import { type AttendedSessions, type AttendOptions, attend } from '../../src/server/attention/attend.ts';
import { createSystemClock } from '../../src/server/clock.ts';
import { type LabelOptions, labelSessions } from '../../src/server/labels/label-sessions.ts';
import type { Sessions } from '../../src/server/sessions.ts';

const silent = (): void => undefined;

/** Stores in memory what a database would store. */
export function memoryAttention(): AttentionStore {
  const kept = new Map<string, Attended>();
  return { all: () => new Map(kept), save: (id, attended) => void kept.set(id, attended) };
}

export function memoryLabels(): LabelStore {
  const kept = new Map<string, Labels>();
  return { all: () => new Map(kept), save: (id, labels) => void kept.set(id, labels) };
}

type InMemory = Partial<Omit<AttendOptions, 'sessions'>> & {
  labels?: LabelStore;
  findRepository?: LabelOptions['findRepository'];
};

/** Wraps sessions in memory with attention and labels, as a server does. */
export function attendInMemory(
  base: AttendOptions['sessions'],
  { labels = memoryLabels(), findRepository = findMainCheckout, ...options }: InMemory = {},
): Omit<AttendedSessions, 'sessions'> & { sessions: Sessions } {
  const kept = {
    writes: { write: (work: () => void) => work(), demand: <T>(work: () => T) => work() },
    clock: createSystemClock(),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  };
  const attended = attend({ sessions: base, store: memoryAttention(), onWaiting: silent, ...kept, ...options });
  const { store: _, onWaiting: __, ...shared } = options;
  const labelled = labelSessions({ sessions: attended.sessions, store: labels, findRepository, ...kept, ...shared });
  attended.start();
  return {
    start: attended.start,
    sessions: labelled.sessions,
    dispose: () => {
      labelled.dispose();
      attended.dispose();
    },
  };
}
