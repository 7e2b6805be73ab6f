import { DELIVERY_PHASES, type DeliveryPhase, type DeliveryStatus } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';

/** A delivery, as stored in the journal. */
export interface DeliveryRecord {
  id: string;
  sessionId: string;
  /** the text that CBOS types, without control characters */
  text: string;
  /** whether the text may be a slash command or a shell command */
  command: boolean;
  phase: DeliveryPhase;
  /** whether CBOS pressed Enter during a turn, which puts the message into Claude Code's own queue */
  intoQueue: boolean;
  createdAt: Millis;
  /** when the current phase began */
  updatedAt: Millis;
  /** how many control characters were removed */
  removed: number;
  idempotencyKey: string | null;
  /**
   * whether the sender knows that CBOS holds the message; otherwise the sender is still waiting for an answer, and
   * sends the message again if no answer comes
   */
  held: boolean;
  /** why the delivery failed, as stated in the error that the sender received, or what CBOS guessed when it sent it */
  reason: string | null;
  /** slug of the session that sent the message, or null if a user sent it */
  sender: string | null;
}

export const statusOf = ({ phase }: Pick<DeliveryRecord, 'phase'>): DeliveryStatus => DELIVERY_PHASES[phase];

/** Reports whether CBOS has typed Esc, and nothing shows yet what the key did. */
export const isEscPending = ({ phase }: Pick<DeliveryRecord, 'phase'>): boolean =>
  phase === 'interrupting' || phase === 'interrupting_again';

/**
 * Reports whether CBOS still has to send a message that a crash kept it from sending. A sender that received no answer
 * and used no idempotency key sends the message again itself.
 */
export const isPromised = ({ held, idempotencyKey }: DeliveryRecord): boolean => held || idempotencyKey !== null;

/**
 * A change to one delivery. Fields that are absent keep their values, and `updatedAt` remains unchanged if `keepsTime`
 * is set.
 */
export interface Change {
  id: string;
  phase: DeliveryPhase;
  intoQueue?: boolean;
  held?: true;
  keepsTime?: true;
  reason?: string;
}

/**
 * Phases that must be stored on disk before CBOS takes the step that they name. After that step, nothing else could
 * prove how far the message got.
 */
export const WRITTEN_FIRST: ReadonlySet<DeliveryPhase> = new Set(['typing', 'entering']);

/** The deliveries of a session that may still change. */
export interface Deliveries {
  /**
   * `queued`, `sent`, and `unknown` contain the deliveries with that status, in the order in which they were accepted
   */
  queued: readonly DeliveryRecord[];
  sent: readonly DeliveryRecord[];
  unknown: readonly DeliveryRecord[];
  /**
   * deliveries of any status, most recently changed first; the list is longer than the number of messages that a single
   * turn ever queues
   */
  recent: readonly DeliveryRecord[];
}

/** How many recent deliveries are considered when CBOS looks for the one that a sign belongs to. */
export const RECENT = 50;

/** The last delivery whose message Claude Code took. */
export const lastTaken = ({ recent }: Deliveries): DeliveryRecord | undefined =>
  recent.find((one) => statusOf(one) === 'delivered');
