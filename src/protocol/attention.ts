import type { RateLimit } from './json-session.ts';
import type { Because, Status } from './status.ts';

/** What a session wants of its person, the most pressing first: the order of every list. */
export const ATTENTIONS = ['needs_you', 'done', 'working', 'new', 'unknown', 'stopped'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Why a session needs its person, the most pressing first; what asks stands before what failed. */
const NEEDS = ['permission', 'question', 'plan', 'setup', 'limit', 'error', 'stuck'] as const;
export type Need = (typeof NEEDS)[number];

/** What of a session decides. An older server says nothing of limits. */
export interface Attending {
  status: Pick<Status, 'primary' | 'detail'> & { because?: Pick<Because, 'source'> };
  rate_limit?: RateLimit | null | undefined;
}

/** What kind of question it asks, or what went wrong; null for a session that can go on, or that has nothing to do. */
export function needOf({ status: { primary, detail }, rate_limit: limit }: Attending): Need | null {
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

/** Whether a person should come: what lists show first, what Tab visits, what notifications tell. */
export function needsYou(session: Attending): boolean {
  return needOf(session) !== null;
}

/** The one definition of "needs you", "done", "working" and the others, for every face. */
export function attentionOf(session: Attending): Attention {
  if (needsYou(session)) return 'needs_you';
  const { primary, detail, because } = session.status;
  if (primary === 'idle') return detail === 'ready' ? 'new' : 'done';
  if (primary === 'active') return 'working';
  if (primary === 'dead') return 'stopped';
  // A session that starts: nothing has told anything of it yet.
  return primary === null && because?.source === 'none' ? 'new' : 'unknown';
}

type Listed = Attending & { slug: string; status: Pick<Status, 'since'> };

/** The order of a list: who needs the person first, asking before failed, and within that the longest first. */
export function compareAttention(one: Listed, other: Listed): number {
  return rankOf(one) - rankOf(other) || compare(one.status.since, other.status.since) || compare(one.slug, other.slug);
}

const ASKING: readonly (Need | null)[] = ['permission', 'question', 'plan', 'setup'];

/** Questions of all kinds rank alike: there the time decides. */
function rankOf(session: Attending): number {
  const need = needOf(session);
  if (need === null) return NEEDS.length + ATTENTIONS.indexOf(attentionOf(session));
  return ASKING.includes(need) ? 0 : NEEDS.indexOf(need);
}

/** Times on the wire sort as texts. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
