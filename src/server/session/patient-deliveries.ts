import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import type { DeliveryStore } from '../../platform/sqlite/delivery-store.ts';
import type { PatientWrites } from './patient-writes.ts';

/** The journal of all deliveries. The journal accepts changes even while the home is not writable. */
export interface PatientDeliveries extends DeliveryStore {
  /** Records what became of a delivery, in memory until it can be saved. Never fails because of the home. */
  save(record: DeliveryRecord): void;
  /**
   * Saves a delivery at once. Use this before anything is typed, and for requests.
   * @throws while the delivery cannot be saved, in which case nothing changes
   */
  commit(record: DeliveryRecord): void;
  /** Stops writing anything for a session that has been removed. */
  forget(sessionId: string): void;
}

export function createPatientDeliveries(store: DeliveryStore, writes: PatientWrites): PatientDeliveries {
  const unwritten = new Map<string, DeliveryRecord>();
  const current = (record: DeliveryRecord): DeliveryRecord => unwritten.get(record.id) ?? record;
  const known = (record: DeliveryRecord | null): DeliveryRecord | null => record && current(record);
  const unwrittenOf = (sessionId: string): DeliveryRecord[] =>
    [...unwritten.values()].filter((record) => record.sessionId === sessionId);

  return {
    save: (record) => {
      // The most recently changed record comes last.
      unwritten.delete(record.id);
      unwritten.set(record.id, record);
      writes.write(() => {
        if (unwritten.get(record.id) !== record) return;
        store.save(record);
        unwritten.delete(record.id);
      });
    },
    commit: (record) => writes.demand(() => store.save(record)),
    forget: (sessionId) => {
      for (const { id } of unwrittenOf(sessionId)) unwritten.delete(id);
    },
    get: (sessionId, id) => known(store.get(sessionId, id)),
    byKey: (sessionId, key) => known(store.byKey(sessionId, key)),
    list: (sessionId) => store.list(sessionId).map(current),
    recent: (sessionId, count) => {
      const changed = unwrittenOf(sessionId);
      if (changed.length === 0) return store.recent(sessionId, count);
      const others = store.recent(sessionId, count).filter(({ id }) => !unwritten.has(id));
      return [...changed.reverse(), ...others].slice(0, count);
    },
    withStatus: (sessionId, status) => {
      const changed = unwrittenOf(sessionId);
      if (changed.length === 0) return store.withStatus(sessionId, status);
      const others = store.withStatus(sessionId, status).filter(({ id }) => !unwritten.has(id));
      // The ids are version 7 UUIDs, so they sort in the order of creation.
      return [...others, ...changed.filter((record) => statusOf(record) === status)].sort((one, other) =>
        one.id < other.id ? -1 : 1,
      );
    },
  };
}
