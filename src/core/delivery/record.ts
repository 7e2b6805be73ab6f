import { DELIVERY_PHASES, type DeliveryPhase, type DeliveryStatus } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';

/** A delivery as stored in the journal. */
export interface DeliveryRecord {
  id: string;
  sessionId: string;
  /** the text as it will be typed, without control characters */
  text: string;
  /** whether the text may be a slash or shell command */
  command: boolean;
  phase: DeliveryPhase;
  /** whether Enter was pressed during a turn; the message then goes into Claude Code's own queue */
  intoQueue: boolean;
  createdAt: Millis;
  /** when the phase began */
  updatedAt: Millis;
  /** how many control characters were removed */
  removed: number;
  idempotencyKey: string | null;
  /**
   * whether the sender knows that CBOS holds the message; otherwise the sender is still waiting for the answer, and
   * sends the message again if no answer comes
   */
  held: boolean;
  /** why the delivery failed, as stated in the error that the sender got */
  reason: string | null;
  /** slug of the session that sent the message, or null if a user sent it */
  sender: string | null;
}

export const statusOf = ({ phase }: Pick<DeliveryRecord, 'phase'>): DeliveryStatus => DELIVERY_PHASES[phase];

/**
 * Reports whether CBOS still has to send a message that was not sent because of a crash. A sender that got no answer
 * and used no idempotency key sends the message again itself.
 */
export const isPromised = ({ held, idempotencyKey }: DeliveryRecord): boolean => held || idempotencyKey !== null;

/** A change to one delivery. Absent fields keep their values; `updatedAt` is unchanged if `keepsTime` is set. */
export interface Change {
  id: string;
  phase: DeliveryPhase;
  intoQueue?: boolean;
  held?: true;
  keepsTime?: true;
}

/**
 * Phases that must be on disk before the step that they name. After that step, nothing could prove how far the message
 * got.
 */
export const WRITTEN_FIRST: ReadonlySet<DeliveryPhase> = new Set(['typing', 'entering']);

/** The deliveries of a session that can still change. */
export interface Deliveries {
  /** `queued`, `sent`, and `unknown` contain the deliveries with that status, in the order of acceptance */
  queued: readonly DeliveryRecord[];
  sent: readonly DeliveryRecord[];
  unknown: readonly DeliveryRecord[];
  /** deliveries of any status, most recently changed first, and more of them than a single turn ever queues */
  recent: readonly DeliveryRecord[];
}

/** How many recent deliveries are considered. */
export const RECENT = 50;

/** The last delivery that Claude Code took. */
export const lastTaken = ({ recent }: Deliveries): DeliveryRecord | undefined =>
  recent.find((one) => statusOf(one) === 'delivered');
