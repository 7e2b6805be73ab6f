import { boxHolds, hasPlaceholder, textsInBox } from '../../core/delivery/box.ts';
import { normalisePrompt } from '../../core/delivery/decide.ts';
import type { DeliveryNote } from '../../core/delivery/notes.ts';
import { NOTHING_TOLD, readQueue } from '../../platform/claude/index.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import type { SessionActor } from '../session/actor.ts';
import { clearBox, draftOf } from './prompt-box.ts';

/** The end of a turn may be drawn this long before the prompt that goes back into the box; on a machine at rest it is 50 ms. */
const LATE_RETURN_MS = 5_000;

/** Deliveries that are looked through for what stands in the box: more than one turn ever has in its queue. */
const LOOKED_THROUGH = 50;

/**
 * The deliveries that make up what stands in the box, in its order; null when anything is in it that CBOS has not typed, or that
 * Claude Code took and a person brought back.
 */
export function leftoversOf(actor: SessionActor): DeliveryRecord[] | null {
  const draft = draftOf(actor);
  if (draft === null) return null;
  const mine = candidates(actor);
  // An answer's digit that came when its dialog had gone is no delivery.
  const { answerKey } = actor.record;
  const found = textsInBox(draft, [...mine.map(({ text }) => text), ...(answerKey ?? '')]);
  if (found !== null) return found.flatMap((index) => mine[index] ?? []);
  // Of a long text the box shows the end; what was put back may be more than that. A placeholder may as well stand for what a person has pasted.
  const long = hasPlaceholder(draft)
    ? mine.find((record) => actor.textsLeft?.mayStandAs(draft, record))
    : mine.find(({ status, note, text }) => isAlone(status, note) && boxHolds(draft, text) === 'text');
  if (long !== undefined) return [long];
  const back = mine
    .filter(({ status, note }) => status === 'queued' && note === 'putBack')
    .sort((a, b) => a.createdAt - b.createdAt);
  const all = back.map(({ text }) => text).join('\n');
  return back.length > 1 && !hasPlaceholder(draft) && boxHolds(draft, all) === 'text' ? back : null;
}

/**
 * Typed and never seen to be taken, except what a person took; and while CBOS itself ends a turn all that was: Claude Code puts back
 * then what it has not begun.
 */
function candidates(actor: SessionActor): DeliveryRecord[] {
  const recent = recentDeliveries(actor);
  const isEnding = recent.some(({ note }) => isMarker(note)) || hasJustInterrupted(actor);
  return recent.filter(({ status, note, reason }) => {
    if (status === 'delivered') return isEnding;
    const isOpen = status === 'unknown' || status === 'sent';
    return note === 'takenBack' ? false : isOpen || note !== null || reason !== null;
  });
}

/** What CBOS typed into an empty box, or the prompt of the turn that it interrupts: nothing stands above it. */
const isAlone = (status: DeliveryRecord['status'], note: DeliveryNote | null): boolean =>
  status !== 'delivered' || note === 'interrupting' || note === 'interrupted';

const isMarker = (note: DeliveryNote | null): boolean => note === 'interrupting' || note === 'answering';

/** Whether CBOS interrupted the last turn that had a prompt of its own, a moment ago. */
function hasJustInterrupted(actor: SessionActor): boolean {
  const last = recentDeliveries(actor).find(({ status }) => status === 'delivered');
  if (last?.note !== 'interrupted') return false;
  const ageMs = actor.deps.clock.now() - last.updatedAt;
  // Below 0 the clock was set back since, and nobody knows how long ago that was.
  return ageMs >= 0 && ageMs < LATE_RETURN_MS;
}

/**
 * Journals that CBOS is about to end a turn, so that it is known who put texts back into the box, also after a crash. An interrupt puts
 * back a prompt that has no answer yet; a no to a permission the queue (2.1.329).
 */
export function beginEnding(actor: SessionActor, by: 'interrupt' | 'answer'): void {
  const { deliveries } = actor.deps;
  const last = recentDeliveries(actor).find(({ status }) => status === 'delivered');
  if (last === undefined) return;
  if (by === 'interrupt') deliveries.save({ ...last, note: 'interrupting' });
  else if (last.note === 'inQueue') deliveries.save({ ...last, note: 'answering' });
}

/** Journals that a prompt came back late from an interrupt, so that it is known still when it can be taken out: a view may cover it meanwhile. */
export function keepReturned(actor: SessionActor): void {
  if (hasJustInterrupted(actor) && leftoversOf(actor) !== null) beginEnding(actor, 'interrupt');
}

/** From here on nothing is put back any more because of CBOS. */
export function finishEnding(actor: SessionActor): void {
  const { deliveries, clock } = actor.deps;
  for (const record of recentDeliveries(actor)) {
    if (record.note === 'interrupting') deliveries.save({ ...record, note: 'interrupted', updatedAt: clock.now() });
    else if (record.note === 'answering') deliveries.save({ ...record, note: 'inQueue' });
  }
  actor.rememberAnswerKey(null);
}

/** What became of something last first. */
export const recentDeliveries = ({ deps, record }: SessionActor): DeliveryRecord[] =>
  deps.deliveries.recent(record.id, LOOKED_THROUGH);

/** Whether something stands in the box that has to be taken out to be sent anew, or that came back late from an interrupt. */
export function hasToTakeOut(actor: SessionActor): boolean {
  return (
    leftoversOf(actor)?.some(
      (record) =>
        record.note === 'interrupted' ||
        record.note === 'unsent' ||
        record.note === 'looking' ||
        afterClearing(record, record.note === 'interrupting').status === 'queued',
    ) ?? false
  );
}

/**
 * Takes what CBOS has typed out of the box, where nothing else stands in it. What waited in Claude Code's own queue is queued here
 * again; the prompt of an interrupted turn is not. Call it with the session ready.
 * @returns whether the box is empty now
 */
export async function takeOutLeftovers(actor: SessionActor): Promise<boolean> {
  const found = leftoversOf(actor);
  if (found === null) return draftOf(actor) === null;
  const isStill = (): boolean => leftoversOf(actor)?.length === found.length;
  const became = await clearBox(actor, isStill);
  // What went by itself was sent: its hook tells.
  if (became !== 'cleared') return became === 'gone';
  const { deliveries, clock } = actor.deps;
  const isInterrupt = recentDeliveries(actor).some(({ note }) => note === 'interrupting') || hasJustInterrupted(actor);
  const told = isInterrupt && actor.transcript !== null ? await readQueue(actor.transcript) : NOTHING_TOLD;
  for (const [index, before] of found.entries()) {
    const record = deliveries.get(actor.record.id, before.id);
    // Where a hook has told of it meanwhile, it was not the key that took it out of the box.
    if (record === null || (record.status === 'delivered' && before.status !== 'delivered')) continue;
    const text = normalisePrompt(record.text);
    // First in the box stands the prompt that was interrupted, unless its turn had just ended by itself. That turn may have had several.
    const isPrompt = isInterrupt && !told.putBack.has(text) && (index === 0 || told.taken.has(text));
    deliveries.save({ ...record, ...afterClearing(record, isPrompt), updatedAt: clock.now() });
  }
  finishEnding(actor);
  return true;
}

/** Whether what a crash kept from being sent is sent still. Who was told nothing, and cannot ask again with a key, sends it again. */
export const isPromised = ({ held, idempotencyKey }: DeliveryRecord): boolean => held || idempotencyKey !== null;

function afterClearing(record: DeliveryRecord, isInterrupted: boolean): Pick<DeliveryRecord, 'status' | 'note'> {
  const { status, note } = record;
  switch (status) {
    case 'delivered':
      return isInterrupted ? { status, note: 'interrupted' } : { status: 'queued', note: 'putBack' };
    case 'sent':
      if (note === 'underView' || note === 'unread') return { status: 'queued', note };
      return note === 'looking' && isPromised(record)
        ? { status: 'queued', note: 'resumed' }
        : { status: 'failed', note: 'cleared' };
    case 'unknown':
      return { status: 'failed', note: 'cleared' };
    default:
      return { status, note };
  }
}
