import type { OverBudget } from './budgets.ts';
import type { RateLimit } from './json-session.ts';
import type { Loss } from './restore.ts';
import type { SessionEnd } from './session-end.ts';
import type { Snooze } from './snooze.ts';
import type { Because, Status } from './status.ts';
import { ATTENTIONS, type Attention, type DetailRow, NEEDS, type Need, rowOf } from './status-words.ts';

/**
 * The rule that a status names while the set-up of the session's worktree is running and Claude Code has not started
 * yet.
 */
export const SETTING_UP_RULE = 'process.setting_up';

/** The fields of a session that determine its attention. An older server does not report limits or looks. */
export interface Attending {
  status: Pick<Status, 'primary' | 'detail' | 'interrupted'> & {
    because?: Pick<Because, 'source'> & Partial<Pick<Because, 'rule'>>;
  };
  rate_limit?: RateLimit | null | undefined;
  snoozed?: Snooze | null | undefined;
  unread?: boolean | undefined;
  /** missing if the server is older */
  parked_at?: string | null | undefined;
  lost?: Loss | undefined;
  over_budget?: OverBudget | undefined;
  /** missing if the server is older */
  ended?: SessionEnd | undefined;
  interrupted_at?: string | undefined;
  /** missing if the server is older */
  other_conversation?: string | undefined;
}

/**
 * Reports whether a session ended in a way that nobody asked for. If CBOS does not know how it ended, a turn that was
 * interrupted shows it.
 */
function isUnasked({ ended, interrupted_at: interruptedAt }: Attending): boolean {
  if (ended?.by === 'unknown') return interruptedAt !== undefined;
  return ended?.by === 'signal' || ended?.by === 'killed' || ended?.by === 'error';
}

export function isSnoozed({ snoozed }: Pick<Attending, 'snoozed'>): boolean {
  return snoozed != null;
}

/**
 * Reports whether a session has news that nobody has looked at. A snoozed session has no news until its snooze ends.
 */
export function isUnread(session: Attending): boolean {
  return session.unread === true && !isSnoozed(session);
}

function isParked({ parked_at }: Attending): boolean {
  return parked_at != null;
}

/**
 * Returns why a session needs the user: what it asks, or what went wrong. Returns null for a session that can continue,
 * has nothing to do, or is snoozed.
 */
export function needOf(session: Attending): Need | null {
  const { status, rate_limit: limit } = session;
  if (isSnoozed(session)) return null;
  const isHeldByBudget = (session.over_budget?.holds ?? 0) > 0;
  // CBOS is holding back the message that would wake the session.
  if (isParked(session)) return isHeldByBudget ? NEEDS.budget : null;
  switch (status.primary) {
    case 'waiting':
      // A newer server may report kinds of questions that this version does not know.
      return rowOf(status).need ?? NEEDS.question;
    case 'stuck':
      return NEEDS.stuck;
    case 'idle':
      if (limit?.status === 'rejected') return NEEDS.limit;
      if (isHeldByBudget) return NEEDS.budget;
      if (session.other_conversation !== undefined) return NEEDS.conversation;
      return rowOf(status).need ?? (session.interrupted_at === undefined ? null : NEEDS.interrupted);
    case 'dead':
      // For lost sessions, the lists offer `cbos restore`.
      return session.lost === undefined && isUnasked(session) ? NEEDS.ended : null;
    default:
      return null;
  }
}

/**
 * Reports whether the user should look at the session. Such sessions come first in lists, Tab jumps to them, and
 * notifications report them.
 */
export function needsYou(session: Attending): boolean {
  return needOf(session) !== null;
}

/**
 * Returns what a session wants from the user. This is the only definition of "needs you", "done", "working", and so on,
 * and every face uses it. A session whose turn failed needs attention; it is not done.
 */
export function attentionOf(session: Attending): Attention {
  return attentionGiven(session, needOf(session));
}

/** The groups of sessions whose detail names no other. */
const GROUPS: ReadonlyMap<Status['primary'], Attention> = new Map([
  ['idle', 'done'],
  ['active', 'working'],
  ['dead', 'stopped'],
]);

const groupOf = (status: Attending['status']): Attention | undefined =>
  rowOf(status).group ?? GROUPS.get(status.primary);

function attentionGiven(session: Attending, need: Need | null): Attention {
  if (isSnoozed(session)) return 'snoozed';
  if (need !== null) return 'needs_you';
  if (isParked(session)) return 'parked';
  const { primary, because } = session.status;
  const group = groupOf(session.status);
  if (group !== undefined) return group;
  // The session is starting, and no source has reported anything yet.
  const isStarting = because?.source === 'none' || because?.rule === SETTING_UP_RULE;
  return primary === null && isStarting ? 'new' : 'unknown';
}

/**
 * Returns the row of a session's detail if that decides how lists show the session: if the session neither needs the
 * user nor is snoozed or parked.
 */
export function rowShown(session: Attending): Partial<DetailRow> {
  return attentionOf(session) === groupOf(session.status) ? rowOf(session.status) : {};
}

/**
 * Reports whether the last turn of a session was interrupted, by whatever, so that the session is not done, but wants
 * nothing from the user.
 */
export function wasInterrupted(session: Attending): boolean {
  return session.status.interrupted === true && attentionOf(session) === 'done';
}

/** Counts sessions by what they want from the user, for a badge, a heading, or a status line. */
export function countAttentions(sessions: Iterable<Attending>): Record<Attention, number> {
  const counts = Object.fromEntries(ATTENTIONS.map((attention) => [attention, 0])) as Record<Attention, number>;
  for (const session of sessions) counts[attentionOf(session)] += 1;
  return counts;
}

/** A session that a list contains. */
export type Listed = Attending & { slug: string; status: Pick<Status, 'since'> };

/**
 * Sorts sessions for a list. Sessions that need attention come first, questions before failures. Within each of these
 * groups, the session that has waited longest comes first.
 */
export function sortByAttention<S extends Listed>(sessions: Iterable<S>): S[] {
  // Each rank is computed once: a list of 5,000 sessions is sorted by 60,000 comparisons.
  const ranked = Array.from(sessions, (session) => ({ session, rank: rankOf(session) }));
  ranked.sort(
    ({ session: one, rank }, { session: other, rank: otherRank }) =>
      rank - otherRank || compare(one.status.since, other.status.since) || compare(one.slug, other.slug),
  );
  return ranked.map(({ session }) => session);
}

function rankOf(session: Attending): number {
  const need = needOf(session);
  return need === null ? NEEDS.stuck.rank + ATTENTIONS.indexOf(attentionGiven(session, need)) : need.rank;
}

/** Times sent by the server sort correctly as strings. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
