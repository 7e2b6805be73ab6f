import type { QuietHours } from './quiet.ts';

/** The rules for when a sink sends a message. */
export interface Rules {
  /** how long a question must be open before the sink sends */
  afterMs: number;
  /** how long nobody must have looked or acted in a face before the sink sends */
  awayMs: number;
  quiet: QuietHours | null;
}

/** The fields of a message that matter for its time. Times are Unix milliseconds. */
export interface Waiting {
  /** when the question opened */
  openedAt: number;
  /** the earliest time of the next attempt; null if none has failed */
  retryAt: number | null;
}

export interface Moment {
  now: number;
  /** how long ago a person last looked or acted in a face; null if no such event is known */
  lookedMsAgo: number | null;
}

export type Due =
  | { kind: 'send' }
  /** `until` is when to check again, and `because` is the rule that holds longest */
  | { kind: 'wait'; until: number; because: 'new' | 'desk' | 'quiet' | 'retry' };

/** If the wall clock is set back, a message must not wait longer than it would have otherwise. */
const notBeyond = (at: number, most: number): number => Math.min(at, most);

/** Decides whether to send a message now. The caller has checked that its question is still open. */
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
/** The longest delay between two attempts, for a sink that is down for hours. */
const LONGEST_DELAY_MS = 300_000;
/**
 * The longest delay that a server may request. After this delay, CBOS tries anyway, because the question is open now.
 */
const LONGEST_ASKED_MS = 900_000;

/**
 * Returns how long to wait after an attempt that failed.
 * @param asked how long the server asked to wait; null if it did not ask
 */
export function retryDelay(attempts: number, asked: number | null): number {
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 10));
  return Math.max(backoff, Math.min(asked ?? 0, LONGEST_ASKED_MS));
}
