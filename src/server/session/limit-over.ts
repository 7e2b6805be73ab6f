import { continuationKey } from '../../core/limits/continuation.ts';
import { type Evidence, limitOf, limitOver } from '../../core/status/index.ts';
import type { Primary } from '../../protocol/index.ts';

/** The parts of a session that are needed to determine whether its usage limit has ended. */
interface LimitedActor {
  status: { evidence(): Evidence; memory(): { primary: Primary | null } };
  record: { id: string };
  deps: { clock: { now(): number }; deliveries: { byKey(sessionId: string, key: string): unknown } };
}

/**
 * Returns when the limit that had stopped a session ended; null if it has not ended, or if the session has been
 * continued since then.
 */
export function limitToContinue({ status, record, deps }: LimitedActor): number | null {
  const evidence = status.evidence();
  const limit = limitOf(evidence);
  const overAt = status.memory().primary === 'idle' ? limitOver(evidence, deps.clock.now()) : null;
  if (overAt === null || limit === null) return null;
  return deps.deliveries.byKey(record.id, continuationKey(limit)) === null ? overAt : null;
}
