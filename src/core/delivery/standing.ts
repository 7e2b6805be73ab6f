import type { DeliveryPhase } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { boxHolds, hasPlaceholder, isPlaceholderFor, textsInBox } from './box.ts';
import { type Change, type Deliveries, type DeliveryRecord, isPromised, lastTaken, statusOf } from './record.ts';
import { draftOf, type Seen, type TextsLeft } from './seen.ts';

/** The end of a turn may be drawn this long before the prompt that goes back into the box; at rest it is 50 ms. */
const LATE_RETURN_MS = 5_000;
/** A paste of 200 kB shows some 8 s after it was typed; on a loaded machine later. */
const LEFT_SHOWN_MS = 15_000;

/** Of these nothing is in the prompt, or it is a person's. */
const LEAVE_NOTHING: ReadonlySet<DeliveryPhase> = new Set(['held', 'cancelled', 'taken_back', 'session_ended']);

/**
 * The deliveries that make up what is in the box, in its order; null when anything is in it that CBOS has not typed, or
 * that Claude Code took and a person brought back.
 */
export function leftoversOf(seen: Seen): DeliveryRecord[] | null {
  const draft = draftOf(seen);
  if (draft === null) return null;
  const mine = candidates(seen.deliveries, seen.now.wall);
  // An answer's digit that came when its dialog had gone is no delivery.
  const found = textsInBox(draft, [...mine.map(({ text }) => text), ...(seen.answerKey ?? '')]);
  if (found !== null) return found.flatMap((index) => mine[index] ?? []);
  // Of a long text the box shows the end; what was put back may be more than that. A placeholder may be a person's.
  const long = hasPlaceholder(draft)
    ? mine.find((record) => seen.left?.placeholder === draft && isLeftAs(draft, record, seen.left))
    : mine.find((record) => isAlone(record) && boxHolds(draft, record.text) === 'text');
  if (long !== undefined) return [long];
  const back = mine.filter(({ phase }) => phase === 'put_back').sort((a, b) => a.createdAt - b.createdAt);
  const all = back.map(({ text }) => text).join('\n');
  return back.length > 1 && !hasPlaceholder(draft) && boxHolds(draft, all) === 'text' ? back : null;
}

/**
 * Typed and never seen to be taken, except what a person took. While CBOS itself ends a turn, all that was taken too:
 * Claude Code puts back then what it has not begun.
 */
function candidates(deliveries: Deliveries, now: Millis): DeliveryRecord[] {
  const isEnding = deliveries.recent.some(isMarked) || hasJustInterrupted(deliveries, now);
  return deliveries.recent.filter((record) =>
    statusOf(record) === 'delivered' ? isEnding : !LEAVE_NOTHING.has(record.phase) && hasBeenTyped(record),
  );
}

/** A failure without a reason is one of a JSON session, which has no prompt. */
const hasBeenTyped = ({ phase, reason }: DeliveryRecord): boolean => phase !== 'failed' || reason !== null;

/** What CBOS typed into an empty box, or the prompt of the turn that it interrupts: nothing is above it. */
const isAlone = (record: DeliveryRecord): boolean =>
  statusOf(record) !== 'delivered' || record.phase === 'interrupting' || record.phase === 'interrupted';

const isMarked = ({ phase }: DeliveryRecord): boolean => phase === 'interrupting' || phase === 'answering';

const isLeftAs = (placeholder: string, { id, text }: DeliveryRecord, { ids }: TextsLeft): boolean =>
  ids.has(id) && isPlaceholderFor(placeholder, text);

/** Remembers the placeholder that shows soon after a server has begun, where one of the texts left may be behind it. */
export function seeTextsLeft(left: TextsLeft, draft: string | null, { recent }: Deliveries, now: Millis): TextsLeft {
  if (draft === null || left.placeholder !== null || now - left.begunAt >= LEFT_SHOWN_MS) return left;
  return recent.some((record) => isLeftAs(draft, record, left)) ? { ...left, placeholder: draft } : left;
}

/** Whether CBOS interrupted the last turn that had a prompt of its own, a moment ago. */
export function hasJustInterrupted(deliveries: Deliveries, now: Millis): boolean {
  const last = lastTaken(deliveries);
  return last?.phase === 'interrupted' && isWithin(LATE_RETURN_MS, last.updatedAt, now);
}

/**
 * Whether something happened so recently. Not where the clock was set back since: nobody knows how long ago that was.
 */
export const isWithin = (ms: Millis, at: Millis, now: Millis): boolean => now >= at && now - at < ms;

/** Whether CBOS interrupts a turn, or has just done it. */
export const isInterrupting = (deliveries: Deliveries, now: Millis): boolean =>
  deliveries.recent.some(({ phase }) => phase === 'interrupting') || hasJustInterrupted(deliveries, now);

/**
 * Notes that CBOS is about to end a turn, so that it is known who put texts back into the box, also after a crash. An
 * interrupt puts back a prompt that has no answer yet; a no to a permission puts back the queue (2.1.329).
 */
export function beginEnding(deliveries: Deliveries, by: 'interrupt' | 'answer'): Change[] {
  const last = lastTaken(deliveries);
  if (last === undefined) return [];
  if (by === 'interrupt') return [{ id: last.id, phase: 'interrupting', keepsTime: true }];
  return isQueued(last) ? [{ id: last.id, phase: 'answering', keepsTime: true }] : [];
}

/** From here on nothing is put back any more because of CBOS. */
export const finishEnding = ({ recent }: Deliveries): Change[] =>
  recent.flatMap(({ id, phase }): Change[] => {
    if (phase === 'interrupting') return [{ id, phase: 'interrupted' }];
    return phase === 'answering' ? [{ id, phase: 'taken', keepsTime: true }] : [];
  });

/** Whether Claude Code has it in its own queue, or had when it was seen last. */
export const isQueued = ({ phase, intoQueue }: DeliveryRecord): boolean => phase === 'taken' && intoQueue;

/**
 * A prompt that came back late from an interrupt: it must be known still when it can be taken out; a view may cover it.
 */
export const keepReturned = (seen: Seen): Change[] =>
  hasJustInterrupted(seen.deliveries, seen.now.wall) && leftoversOf(seen) !== null
    ? beginEnding(seen.deliveries, 'interrupt')
    : [];

/**
 * Whether something is in the box that has to be taken out to be sent anew, or that came back late from an interrupt.
 */
export function hasToTakeOut(seen: Seen): boolean {
  return (
    leftoversOf(seen)?.some(
      (record) =>
        ['interrupted', 'unsent', 'looking'].includes(record.phase) ||
        statusOf({ phase: afterClearing(record, record.phase === 'interrupting') }) === 'queued',
    ) ?? false
  );
}

/** What becomes of a text that CBOS has taken out of the prompt. */
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
      return phase;
  }
}

/** What is in the prompt since a crash, alone and unsent, and is to be sent; null where nothing is. */
export function leftToEnter(seen: Seen): DeliveryRecord | null {
  const [only, ...others] = leftoversOf(seen) ?? [];
  if (only === undefined || others.length > 0 || !isPromised(only)) return null;
  const isLeft = only.phase === 'looking' || only.phase === 'resumed';
  return isLeft && boxHolds(draftOf(seen) ?? '', only.text) === 'text' ? only : null;
}
