import type { RateLimit } from './json-session.ts';
import type { Because, Status } from './status.ts';

/** What a session wants of its person, most pressing first. This is the order of every list. */
export const ATTENTIONS = ['needs_you', 'done', 'working', 'new', 'unknown', 'parked', 'stopped'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Why a session needs its person, most pressing first. Questions come before failures. */
const NEEDS = ['permission', 'question', 'plan', 'setup', 'limit', 'error', 'stuck'] as const;
export type Need = (typeof NEEDS)[number];

/** The fields of a session that decide about attention. An older server does not report limits. */
export interface Attending {
  status: Pick<Status, 'primary' | 'detail'> & { because?: Pick<Because, 'source'> };
  rate_limit?: RateLimit | null | undefined;
  /** absent from an older server */
  parked_at?: string | null | undefined;
}

/**
 * Returns what kind of question the session asks, or what went wrong. Null for a session that can continue, or that
 * has nothing to do.
 */
export function needOf({ status: { primary, detail }, rate_limit: limit, parked_at }: Attending): Need | null {
  if ((parked_at ?? null) !== null) return null;
  switch (primary) {
    case 'waiting':
      // A newer server may have kinds of questions that this version does not know.
      return NEEDS.find((need) => need === detail) ?? 'question';
    case 'stuck':
      return 'stuck';
    case 'idle':
      if (limit?.status === 'rejected') return 'limit';
      return detail === 'error' ? 'error' : null;
    default:
      return null;
  }
}

/**
 * Reports whether a person should look at the session. Such sessions come first in lists, Tab visits them, and
 * notifications report them.
 */
export function needsYou(session: Attending): boolean {
  return needOf(session) !== null;
}

/**
 * Returns the attention of a session. This is the only definition of "needs you", "done", "working", and the others,
 * for every face.
 */
export function attentionOf(session: Attending): Attention {
  if (needsYou(session)) return 'needs_you';
  if ((session.parked_at ?? null) !== null) return 'parked';
  const { primary, detail, because } = session.status;
  if (primary === 'idle') return detail === 'ready' ? 'new' : 'done';
  if (primary === 'active') return 'working';
  if (primary === 'dead') return 'stopped';
  // The session is starting, and no source has reported anything about it yet.
  return primary === null && because?.source === 'none' ? 'new' : 'unknown';
}

type Listed = Attending & { slug: string; status: Pick<Status, 'since'> };

/**
 * Orders a list. Sessions that need the person come first, with questions before failures. Within these groups, the
 * session that has waited longest comes first.
 */
export function compareAttention(one: Listed, other: Listed): number {
  return rankOf(one) - rankOf(other) || compare(one.status.since, other.status.since) || compare(one.slug, other.slug);
}

const ASKING: readonly (Need | null)[] = ['permission', 'question', 'plan', 'setup'];

/** All kinds of questions have the same rank, so the time decides among them. */
function rankOf(session: Attending): number {
  const need = needOf(session);
  if (need === null) return NEEDS.length + ATTENTIONS.indexOf(attentionOf(session));
  return ASKING.includes(need) ? 0 : NEEDS.indexOf(need);
}

/** Times on the wire can be sorted as strings. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
