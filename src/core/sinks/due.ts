import type { QuietHours } from './quiet.ts';

/** The rules that decide when a sink sends a message. */
export interface Rules {
  /** how long a question must be open before the sink sends a message */
  afterMs: number;
  /** how long no one must have looked at a face or done anything in one before the sink sends a message */
  awayMs: number;
  quiet: QuietHours | null;
}

/** The fields of a message that determine when it is sent. Times are in Unix milliseconds. */
export interface Waiting {
  /** when the question opened */
  openedAt: number;
  /** the earliest time for the next attempt, or null if no attempt has failed */
  retryAt: number | null;
}

export interface Moment {
  now: number;
  /** how long ago a user last looked at a face or did something in one, or null if no such event is known */
  lookedMsAgo: number | null;
}

export type Due =
  | { kind: 'send' }
  /** `until` is when to check again, and `because` names the rule that delays the message longest */
  | { kind: 'wait'; until: number; because: 'new' | 'desk' | 'quiet' | 'retry' };

/** If the wall clock is set back, that must not make the message wait longer. */
const notBeyond = (at: number, most: number): number => Math.min(at, most);

/** Decides whether to send a message now. The caller has already checked that the question is still open. */
export function due({ openedAt, retryAt }: Waiting, rules: Rules, { now, lookedMsAgo }: Moment): Due {
  const waits: { until: number; because: Extract<Due, { kind: 'wait' }>['because'] }[] = [
    { until: notBeyond(openedAt, now) + rules.afterMs, because: 'new' },
    { until: lookedMsAgo === null ? now : now - lookedMsAgo + rules.awayMs, because: 'desk' },
    { until: retryAt === null ? now : notBeyond(retryAt, now + LONGEST_DELAY_MS), because: 'retry' },
    { until: rules.quiet?.endAfter(now) ?? now, because: 'quiet' },
  ];
  const [longest] = waits.sort((one, other) => other.until - one.until);
  return longest === undefined || longest.until <= now ? { kind: 'send' } : { kind: 'wait', ...longest };
}

const FIRST_DELAY_MS = 2_000;
/** The maximum delay between two attempts. It applies when a sink is down for hours. */
const LONGEST_DELAY_MS = 300_000;
/**
 * The maximum delay that a server may request. After this delay, CBOS tries again regardless, because a user is waiting
 * for the message.
 */
const LONGEST_ASKED_MS = 900_000;

/**
 * Returns how long to wait after an attempt has failed.
 * @param asked how long the server asked CBOS to wait, or null if it did not ask
 */
export function retryDelay(attempts: number, asked: number | null): number {
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 10));
  return Math.max(backoff, Math.min(asked ?? 0, LONGEST_ASKED_MS));
}
