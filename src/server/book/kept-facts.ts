import type { PatientWrites } from '../session/patient-writes.ts';

/** What a feature keeps about each session, by the session's id, in memory and in the database. */
export interface KeptFacts<T> {
  of(id: string | undefined): T;
  /** the sessions about which something is kept */
  all(): [id: string, facts: T][];
  /** Saves an observed fact, either now or as soon as the disk has room. */
  note(id: string, next: T): void;
  /** Saves a change that a person requested. @throws while the home is not writable, in which case nothing changes */
  change(id: string, edit: (facts: T) => T): { before: T; after: T };
  /** Forgets a session that no longer exists, in memory. The database forgets it together with the session. */
  forget(id: string): void;
}

/** @param none what holds for a session about which nothing is kept */
export function keepFacts<T>(
  store: { all(): Map<string, T>; save(id: string, facts: T): void },
  writes: Pick<PatientWrites, 'write' | 'demand'>,
  none: T,
): KeptFacts<T> {
  const kept = store.all();
  const of = (id: string | undefined): T => (id === undefined ? undefined : kept.get(id)) ?? none;
  return {
    of,
    all: () => [...kept],
    note: (id, next) => {
      if (next === of(id)) return;
      kept.set(id, next);
      writes.write(() => {
        const latest = kept.get(id);
        if (latest !== undefined) store.save(id, latest);
      });
    },
    change: (id, edit) => {
      const before = of(id);
      const after = edit(before);
      if (after !== before) {
        writes.demand(() => store.save(id, after));
        kept.set(id, after);
      }
      return { before, after };
    },
    forget: (id) => void kept.delete(id),
  };
}
