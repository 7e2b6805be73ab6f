import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import type { DeliveryStore } from '../../platform/sqlite/delivery-store.ts';
import type { PatientWrites } from './patient-writes.ts';

/** The journal of all deliveries. The journal accepts changes even while the home cannot be written. */
export interface PatientDeliveries extends DeliveryStore {
  /** Records the outcome of a delivery, in memory until it can be saved. Never fails because of the home. */
  save(record: DeliveryRecord): void;
  /**
   * Saves a delivery at once. This is used before anything is typed, and for requests.
   * @throws while it cannot be saved; nothing has changed then
   */
  commit(record: DeliveryRecord): void;
  /** Writes nothing more for a session that was removed. */
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
      // The record that was changed last comes last.
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
      // Their ids are UUIDs of version 7, so they sort in the order of creation.
      return [...others, ...changed.filter((record) => statusOf(record) === status)].sort((one, other) =>
        one.id < other.id ? -1 : 1,
      );
    },
  };
}
