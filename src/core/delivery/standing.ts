import type { DeliveryPhase } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { boxHolds, hasPlaceholder, isPlaceholderFor, textsInBox } from './box.ts';
import { type Deliveries, type DeliveryRecord, isEscPending, isPromised, lastTaken, statusOf } from './record.ts';
import { draftOf, type Seen, type TextsLeft } from './seen.ts';

/**
 * How long after the end of a turn Claude Code may put the interrupted prompt back into the box. On an idle machine,
 * this takes 50 ms.
 */
export const LATE_RETURN_MS = 5_000;
/**
 * How long a message from a killed server may take to appear. A paste of 200 kB appears about 8 s after it was typed,
 * or later on a loaded machine.
 */
const LEFT_SHOWN_MS = 15_000;

/** The phases whose messages are either not in the prompt, or are there but belong to a user. */
const LEAVE_NOTHING: ReadonlySet<DeliveryPhase> = new Set([
  'held',
  'cancelled',
  'taken_back',
  'session_ended',
  'refused',
]);

/**
 * Returns the deliveries that together fill the box, in the order in which the box shows them. Returns null if the box
 * contains anything that CBOS did not type, or anything that Claude Code took and a user brought back.
 */
export function leftoversOf(seen: Seen): DeliveryRecord[] | null {
  const draft = draftOf(seen);
  if (draft === null) return null;
  const mine = candidates(seen.deliveries, seen.now.wall);
  // If a dialog had already closed when CBOS typed its answer, the digit is in the box. That digit is not a delivery.
  const found = textsInBox(draft, [...mine.map(({ text }) => text), ...(seen.answerKey ?? '')]);
  if (found !== null) return inOrder(found.flatMap((index) => mine[index] ?? []));
  // The box shows only the end of a long message, so Claude Code may have put back more messages than the box shows. A
  // placeholder may represent a user's paste.
  const long = hasPlaceholder(draft)
    ? mine.find((record) => seen.left?.placeholder === draft && isLeftAs(draft, record, seen.left))
    : mine.find((record) => isAlone(record) && boxHolds(draft, record.text) === 'text');
  if (long !== undefined) return [long];
  const back = mine.filter(({ phase }) => phase === 'put_back').sort((a, b) => a.createdAt - b.createdAt);
  const all = back.map(({ text }) => text).join('\n');
  return back.length > 1 && !hasPlaceholder(draft) && boxHolds(draft, all) === 'text' ? back : null;
}

/** Puts messages with the same text into the order in which they were accepted, which is that of the box. */
function inOrder(found: readonly DeliveryRecord[]): DeliveryRecord[] {
  const left = found.toSorted((a, b) => a.createdAt - b.createdAt);
  return found.flatMap(({ text }) =>
    left.splice(
      left.findIndex((one) => one.text === text),
      1,
    ),
  );
}

/**
 * Returns the messages that were typed and that Claude Code was never seen to take, except those that a user took back.
 * While CBOS itself is ending a turn, the result also includes messages that Claude Code took, because it puts back
 * those that it has not started on.
 */
function candidates(deliveries: Deliveries, now: Millis): DeliveryRecord[] {
  const isEnding = deliveries.recent.some(isMarked) || hasJustInterrupted(deliveries, now);
  return deliveries.recent.filter((record) =>
    statusOf(record) === 'delivered' ? isEnding : !LEAVE_NOTHING.has(record.phase) && hasBeenTyped(record),
  );
}

/** A failure that states no reason comes from a JSON session, which has no prompt. */
const hasBeenTyped = ({ phase, reason }: DeliveryRecord): boolean => phase !== 'failed' || reason !== null;

/**
 * Reports whether no other text precedes this text in the box. This is so if CBOS typed the text into an empty box, or
 * if the text is the prompt of the interrupted turn.
 */
const isAlone = (record: DeliveryRecord): boolean =>
  statusOf(record) !== 'delivered' || isEscPending(record) || record.phase === 'interrupted';

const isMarked = (record: DeliveryRecord): boolean => isEscPending(record) || record.phase === 'answering';

const isLeftAs = (placeholder: string, { id, text }: DeliveryRecord, { ids }: TextsLeft): boolean =>
  ids.has(id) && isPlaceholderFor(placeholder, text);

/**
 * Remembers a placeholder that appears soon after a server has started, if it may represent one of the messages that
 * the previous server left behind.
 */
export function seeTextsLeft(left: TextsLeft, draft: string | null, { recent }: Deliveries, now: Millis): TextsLeft {
  if (draft === null || left.placeholder !== null || now - left.begunAt >= LEFT_SHOWN_MS) return left;
  return recent.some((record) => isLeftAs(draft, record, left)) ? { ...left, placeholder: draft } : left;
}

/** Reports whether CBOS has just interrupted the turn that took the last message. */
export function hasJustInterrupted(deliveries: Deliveries, now: Millis): boolean {
  const last = lastTaken(deliveries);
  return last?.phase === 'interrupted' && isWithin(LATE_RETURN_MS, last.updatedAt, now);
}

/**
 * Reports whether something happened less than `ms` ago. The result is false if the clock was set back since then,
 * because the elapsed time is then unknown.
 */
export const isWithin = (ms: Millis, at: Millis, now: Millis): boolean => now >= at && now - at < ms;

/** Reports whether CBOS is interrupting a turn or has just interrupted one. */
export const isInterrupting = (deliveries: Deliveries, now: Millis): boolean =>
  deliveries.recent.some(isEscPending) || hasJustInterrupted(deliveries, now);

/** Reports whether the message is in Claude Code's own queue, or was in it when CBOS last looked. */
export const isQueued = ({ phase, intoQueue }: DeliveryRecord): boolean => phase === 'taken' && intoQueue;

/**
 * Returns the messages from Claude Code's queue that fill the box together with a message that was just typed. An error
 * that ends a turn puts back messages whose hook has already reported them. At a load of 35, one came back just before
 * the next message was typed.
 */
export function returnedBeside(typed: string, seen: Seen): DeliveryRecord[] {
  const queued = seen.deliveries.recent.filter(
    (record) => isQueued(record) && isWithin(LATE_RETURN_MS, record.updatedAt, seen.now.wall),
  );
  const found = textsInBox(draftOf(seen) ?? '', [typed, ...queued.map(({ text }) => text)]) ?? [];
  return found.flatMap((index) => queued[index - 1] ?? []);
}

/**
 * Reports whether the box contains a message that CBOS must remove, either because CBOS will send it again or because
 * an interrupt put it back late.
 */
export function hasToTakeOut(seen: Seen): boolean {
  return (
    leftoversOf(seen)?.some(
      (record) =>
        ['interrupted', 'unsent', 'looking', 'refused_back'].includes(record.phase) ||
        statusOf({ phase: afterClearing(record, isEscPending(record)) }) === 'queued',
    ) ?? false
  );
}

/** Returns the phase that a message enters when CBOS has removed it from the prompt. */
export function afterClearing(record: DeliveryRecord, isInterrupted: boolean): DeliveryPhase {
  const { phase } = record;
  switch (statusOf(record)) {
    case 'delivered':
      return isInterrupted ? 'interrupted' : 'put_back';
    case 'sent':
      if (phase === 'under_view' || phase === 'unread') return 'taken_out';
      return phase === 'looking' && isPromised(record) ? 'resumed' : 'cleared';
    case 'unknown':
      return 'cleared';
    default:
      return phase === 'refused_back' ? 'refused' : phase;
  }
}

/** Returns the text that a crash left unsent, or null unless that text is alone in the prompt and should be sent. */
export function leftToEnter(seen: Seen): DeliveryRecord | null {
  const [only, ...others] = leftoversOf(seen) ?? [];
  if (only === undefined || others.length > 0 || !isPromised(only)) return null;
  const isLeft = only.phase === 'looking' || only.phase === 'resumed';
  return isLeft && boxHolds(draftOf(seen) ?? '', only.text) === 'text' ? only : null;
}
