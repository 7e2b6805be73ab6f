import type { Attended } from '../../src/core/attention/index.ts';
import type { Labels } from '../../src/core/labels/index.ts';
import { findMainCheckout } from '../../src/platform/git/git-dir.ts';
import type { AttentionStore } from '../../src/platform/sqlite/attention-store.ts';
import type { LabelStore } from '../../src/platform/sqlite/label-store.ts';
import { type AttendOptions, type Attention, attend } from '../../src/server/attention/attend.ts';
import type { BaseSessions } from '../../src/server/base-sessions.ts';
import type { Book } from '../../src/server/book/book.ts';
import { byPerson } from '../../src/server/by-person.ts';
import { createSystemClock } from '../../src/server/clock.ts';
import { joinSessions } from '../../src/server/join-sessions.ts';
import { type LabelOptions, labelSessions } from '../../src/server/labels/label-sessions.ts';
import type { Sessions } from '../../src/server/sessions.ts';
import { MemorySessions } from './memory-sessions.ts';

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

type InMemory = Partial<Omit<AttendOptions, 'sessions' | 'book'>> & {
  labels?: LabelStore;
  findRepository?: LabelOptions['findRepository'];
  acted?: () => void;
};

/** Adds attention and labels to sessions in memory, as a server does for the faces. */
export function attendInMemory(
  base: MemorySessions,
  { labels = memoryLabels(), findRepository = findMainCheckout, acted = silent, ...options }: InMemory = {},
): Pick<Attention, 'start' | 'dispose'> & { sessions: Sessions; book: Book } {
  const { book } = base;
  const kept = {
    writes: { write: (work: () => void) => work(), demand: <T>(work: () => T) => work() },
    clock: createSystemClock(),
  };
  const attention = attend({
    ...{ book, sessions: base, store: memoryAttention(), onWaiting: silent, ...kept, ...options },
  });
  const { store: _, onWaiting: __, ...shared } = options;
  const labelled = labelSessions({ book, sessions: base, store: labels, findRepository, ...kept, ...shared });
  attention.start();
  return {
    start: attention.start,
    book,
    sessions: byPerson(joinSessions(everyMethod(base), { attention, labels: labelled.requests, book }), {
      attention,
      acted,
    }),
    dispose: () => {
      labelled.dispose();
      attention.dispose();
    },
  };
}

/** Returns an object with all methods of a class. A test may replace a method: each is looked up when it is called. */
function everyMethod(base: MemorySessions): BaseSessions {
  const names = [...Object.getOwnPropertyNames(MemorySessions.prototype), ...Object.keys(base)];
  const calls = names.map((name) => [
    name,
    (...given: unknown[]) => (Reflect.get(base, name) as (...given: unknown[]) => unknown).apply(base, given),
  ]);
  return Object.fromEntries(calls) as BaseSessions;
}
