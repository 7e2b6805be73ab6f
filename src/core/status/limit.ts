import type { RateLimit } from '../../protocol/index.ts';
import type { Evidence, HookEvidence, SourceVerdict } from './evidence.ts';
import { isTurnRunning } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';

/** The usage limit that ended the last turn; null if none did, or a turn has begun since. */
export function limitOf({ hooks, json }: Pick<Evidence, 'hooks' | 'json'>): RateLimit | null {
  if (json !== undefined) return json.busySince === null ? (json.turnEnd?.limit ?? null) : null;
  return isTurnRunning(hooks) ? null : (hooks.turnEnd?.limit ?? null);
}

/** Records the limit behind the failure that ended the last turn with this message, which was found out later. */
export function nameLimit(hooks: HookEvidence, limit: RateLimit, message: unknown): HookEvidence {
  const { turnEnd } = hooks;
  if (turnEnd?.event !== 'StopFailure' || turnEnd.message !== message) return hooks;
  return { ...hooks, turnEnd: { ...turnEnd, limit } };
}

/** When a limit ends; null if nothing says so. A text that is no time counts as unknown. */
export function endOfLimit({ resets_at: resetsAt }: RateLimit): Millis | null {
  const at = Date.parse(resetsAt ?? '');
  return Number.isNaN(at) ? null : at;
}

/**
 * The limit that keeps an idle session from going on; null if none does. The sources report an idle session whose turn
 * failed. Which limit it was, they know only together, so it is looked at once they have agreed. What the process says
 * (parked, unreachable) stands.
 */
export function limitInForce(winner: SourceVerdict, evidence: Evidence, now: Millis): { endsAt: Millis | null } | null {
  if (winner.primary !== 'idle' || winner.source === 'process' || winner.source === 'user') return null;
  const limit = limitOf(evidence);
  if (limit === null) return null;
  const endsAt = endOfLimit(limit);
  return endsAt !== null && endsAt <= now ? null : { endsAt };
}

/**
 * What was last told of the account's limits. A limit that was reached is told until its end, or until a turn begins.
 */
export function limitShown(evidence: Pick<Evidence, 'hooks' | 'json'>, now: Millis): RateLimit | null {
  const told = evidence.json === undefined ? limitOf(evidence) : evidence.json.rateLimit;
  if (told?.status !== 'rejected') return told;
  const endsAt = endOfLimit(told);
  return endsAt !== null && endsAt <= now ? null : told;
}
