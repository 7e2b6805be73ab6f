import { DELIVERY_PHASES, type DeliveryPhase, type DeliveryStatus } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';

/** A text on its way, as the journal keeps it. */
export interface DeliveryRecord {
  id: string;
  sessionId: string;
  /** as it will be typed: cleaned of control characters */
  text: string;
  /** whether it may be a slash or shell command */
  command: boolean;
  phase: DeliveryPhase;
  /** whether Enter was pressed during a turn, which puts the text into Claude Code's own queue */
  intoQueue: boolean;
  createdAt: Millis;
  /** when the phase began */
  updatedAt: Millis;
  /** how many control characters were taken out */
  removed: number;
  idempotencyKey: string | null;
  /** its sender was told that CBOS holds it; else the sender waits for the answer, and sends again where none comes */
  held: boolean;
  /** why it failed, in the words of the error that its sender got */
  reason: string | null;
  /** slug of the session inside which it was sent; null: a person sent it */
  sender: string | null;
}

export const statusOf = ({ phase }: Pick<DeliveryRecord, 'phase'>): DeliveryStatus => DELIVERY_PHASES[phase];

/**
 * Whether a text that a crash kept from being sent is sent still. A sender that was told nothing and has no key sends
 * it again.
 */
export const isPromised = ({ held, idempotencyKey }: DeliveryRecord): boolean => held || idempotencyKey !== null;

/** What becomes of one text. What is left out stays; `at` stays where `keepsTime` is given. */
export interface Change {
  id: string;
  phase: DeliveryPhase;
  intoQueue?: boolean;
  held?: true;
  keepsTime?: true;
}

/** Phases that must be on the disk before the step they name: after it nobody could prove how far the text had got. */
export const WRITTEN_FIRST: ReadonlySet<DeliveryPhase> = new Set(['typing', 'entering']);

/** The deliveries of one session, as far as anything can still become of them. */
export interface Deliveries {
  /** by status, in the order in which they were accepted */
  queued: readonly DeliveryRecord[];
  sent: readonly DeliveryRecord[];
  unknown: readonly DeliveryRecord[];
  /** whatever their status, the one that changed last first; more than a turn ever has in its queue */
  recent: readonly DeliveryRecord[];
}

/** How many recent deliveries are looked through. */
export const RECENT = 50;

/** The text that Claude Code took last. */
export const lastTaken = ({ recent }: Deliveries): DeliveryRecord | undefined =>
  recent.find((one) => statusOf(one) === 'delivered');
