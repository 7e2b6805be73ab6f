import { expect, test } from 'vitest';
import type { Deliveries, DeliveryRecord } from '../../../src/core/delivery/record.ts';
import { beginEnding, undoEnding } from '../../../src/core/delivery/standing.ts';

const record = (id: string, phase: DeliveryRecord['phase']): DeliveryRecord => ({
  ...{ id, phase, sessionId: 's', text: id, command: false, intoQueue: false, createdAt: 0, updatedAt: 1 },
  ...{ removed: 0, idempotencyKey: null, held: false, reason: null, sender: null },
});

test.each(['taken', 'interrupted', 'interrupting'] as const)(
  'an interrupt without an effect leaves the last message %s, and the others as they are',
  (phase) => {
    const recent = [record('last', phase), record('earlier', 'interrupted')];
    const before: Deliveries = { queued: [], sent: [], unknown: [], recent };
    const begun = beginEnding(before, 'interrupt');
    expect(begun).toEqual([{ id: 'last', phase: 'interrupting', keepsTime: true }]);
    const now = { ...before, recent: [record('last', 'interrupting'), record('earlier', 'interrupted')] };
    expect(undoEnding(before, begun, now)).toEqual([{ id: 'last', phase, keepsTime: true }]);
  },
);

test('a message that a hook has refused since the interrupt began stays refused', () => {
  const before: Deliveries = { queued: [], sent: [], unknown: [], recent: [record('last', 'taken')] };
  const begun = beginEnding(before, 'interrupt');
  expect(undoEnding(before, begun, { ...before, recent: [record('last', 'refused')] })).toEqual([]);
});
