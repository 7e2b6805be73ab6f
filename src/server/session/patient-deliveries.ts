import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import type { DeliveryStore } from '../../platform/sqlite/delivery-store.ts';
import type { PatientWrites } from './patient-writes.ts';

/** The journal of all deliveries, which accepts some changes even while the home is not writable. */
export interface PatientDeliveries extends DeliveryStore {
  /**
   * Records what became of a delivery. The change is kept in memory until it can be saved, so this method does not fail
   * if the home is not writable.
   */
  save(record: DeliveryRecord): void;
  /**
   * Saves a delivery immediately. Use this for requests, and before anything is typed.
   * @throws while the delivery cannot be saved, in which case nothing changes
   */
  commit(record: DeliveryRecord): void;
  /** Call this when a session has been removed. Nothing more is written for it. */
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
      // Records are re-inserted when they change, so the most recently changed record comes last.
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
      // The ids are version 7 UUIDs, so sorting by id gives the order of creation.
      return [...others, ...changed.filter((record) => statusOf(record) === status)].sort((one, other) =>
        one.id < other.id ? -1 : 1,
      );
    },
  };
}
