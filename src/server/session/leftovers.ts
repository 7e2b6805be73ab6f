import { boxHolds, hasPlaceholder, textsInBox } from '../../core/delivery/box.ts';
import { normalisePrompt } from '../../core/delivery/decide.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import type { SessionActor } from './actor.ts';
import { clearBox, draftOf } from './prompt-box.ts';

/** What a delivery says besides its status. */
export const NOTES = {
  behindDialog: 'A dialog opened before it was sent; it is sent when the session is ready',
  besideDraft: 'Somebody typed at the same moment; it stands in the prompt beside that, unsent',
  cleared: 'It stood in the prompt unsent and was taken out again; it did not arrive',
  stopping: 'Its turn is being interrupted',
  interrupted: 'Its turn was interrupted',
  putBack: 'An interrupt took it out of the queue of Claude Code; it is sent when the session is ready',
} as const;

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
  const texts = mine.map(({ text }) => text);
  const found = textsInBox(draft, texts);
  if (found !== null) return found.flatMap((index) => mine[index] ?? []);
  // Of a long text the box shows the end. A placeholder may as well stand for what a person has pasted.
  const long = hasPlaceholder(draft) ? undefined : mine.find(({ text }) => boxHolds(draft, text) === 'text');
  return long === undefined ? null : [long];
}

/** Typed and never seen to be taken; and while an interrupt is under way, from its prompt on all: it may put them back. */
function candidates(actor: SessionActor): DeliveryRecord[] {
  const newestFirst = newest(actor);
  const stopping = newestFirst.findIndex(({ note }) => note === NOTES.stopping);
  return newestFirst.filter(({ status, note }, index) => {
    if (status === 'delivered') return index <= stopping;
    return status === 'unknown' || status === 'sent' || (status === 'queued' && note !== null);
  });
}

/** Journals that a turn is about to be interrupted, so that after a crash it is known who put its prompt back. */
export function beginInterrupt(actor: SessionActor, prompt: string): void {
  const seen = normalisePrompt(prompt);
  const isIt = ({ status, text }: DeliveryRecord): boolean => status === 'delivered' && normalisePrompt(text) === seen;
  const found = newest(actor).find(isIt);
  if (found !== undefined) actor.deps.deliveries.save({ ...found, note: NOTES.stopping });
}

/** Nothing that an interrupt puts back is to be expected any more. */
export function endInterrupt(actor: SessionActor): void {
  for (const record of newest(actor)) {
    if (record.note === NOTES.stopping) actor.deps.deliveries.save({ ...record, note: NOTES.interrupted });
  }
}

const newest = ({ deps, record }: SessionActor): DeliveryRecord[] =>
  deps.deliveries.list(record.id).slice(0, LOOKED_THROUGH);

/**
 * Takes what CBOS has typed out of the box, where nothing else stands in it. What waited in Claude Code's own queue is sent
 * anew; the rest is not. Call it with the session ready.
 * @returns whether the box is empty now
 */
export async function takeOutLeftovers(actor: SessionActor): Promise<boolean> {
  const found = leftoversOf(actor);
  if (found === null) return draftOf(actor) === null;
  if (!(await clearBox(actor))) return false;
  const { deliveries, clock } = actor.deps;
  for (const record of found) {
    if (record.note === NOTES.stopping || record.status === 'queued') continue;
    const next = afterClearing(record);
    deliveries.save({ ...record, ...next, updatedAt: clock.now() });
  }
  endInterrupt(actor);
  return true;
}

function afterClearing({ status }: DeliveryRecord): Pick<DeliveryRecord, 'status' | 'note'> {
  switch (status) {
    case 'delivered':
      return { status: 'queued', note: NOTES.putBack };
    case 'sent':
      return { status: 'failed', note: NOTES.cleared };
    default:
      // After a crash it stays `unknown`, as its sender was told.
      return { status, note: NOTES.cleared };
  }
}
