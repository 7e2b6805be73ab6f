import type { RateLimit } from '../../protocol/index.ts';
import type { Evidence, HookEvidence, SourceVerdict } from './evidence.ts';
import { isTurnRunning } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';

/**
 * Returns the usage limit that ended the last turn, or null if no limit ended it or if another turn has begun since.
 */
export function limitOf({ hooks, json }: Pick<Evidence, 'hooks' | 'json'>): RateLimit | null {
  if (json !== undefined) return json.busySince === null ? (json.turnEnd?.limit ?? null) : null;
  return isTurnRunning(hooks) ? null : (hooks.turnEnd?.limit ?? null);
}

/** Records which limit made the last turn fail with this message. The limit becomes known only after the failure. */
export function nameLimit(hooks: HookEvidence, limit: RateLimit, message: unknown): HookEvidence {
  const { turnEnd } = hooks;
  if (turnEnd?.event !== 'StopFailure' || turnEnd.message !== message) return hooks;
  return { ...hooks, turnEnd: { ...turnEnd, limit } };
}

/** Returns when a limit ends, or null if that is unknown or if the text is not a valid time. */
export function endOfLimit({ resets_at: resetsAt }: RateLimit): Millis | null {
  const at = Date.parse(resetsAt ?? '');
  return Number.isNaN(at) ? null : at;
}

/**
 * Returns the limit that stops an idle session, or null if no limit does. Each source alone shows only an idle session
 * whose turn failed. Only all sources together reveal that a limit was the cause, so this function runs after they have
 * been reconciled. A verdict from the process (parked, unreachable) takes precedence.
 */
export function limitInForce(winner: SourceVerdict, evidence: Evidence, now: Millis): { endsAt: Millis | null } | null {
  if (winner.primary !== 'idle' || winner.source === 'process' || winner.source === 'user') return null;
  const limit = limitOf(evidence);
  if (limit === null) return null;
  const endsAt = endOfLimit(limit);
  return endsAt !== null && endsAt <= now ? null : { endsAt };
}

/**
 * Returns when the limit that stopped the last turn ended. Returns null if it has not ended, if its end is unknown, or
 * if another turn has begun since.
 */
export function limitOver(evidence: Pick<Evidence, 'hooks' | 'json'>, now: Millis): Millis | null {
  const limit = limitOf(evidence);
  const endsAt = limit === null ? null : endOfLimit(limit);
  return endsAt !== null && endsAt <= now ? endsAt : null;
}

/**
 * Returns the most recent report about the account's limits. A limit that has been reached is shown until it ends or
 * until a turn begins.
 */
export function limitShown(evidence: Pick<Evidence, 'hooks' | 'json'>, now: Millis): RateLimit | null {
  const told = evidence.json === undefined ? limitOf(evidence) : evidence.json.rateLimit;
  if (told?.status !== 'rejected') return told;
  const endsAt = endOfLimit(told);
  return endsAt !== null && endsAt <= now ? null : told;
}
