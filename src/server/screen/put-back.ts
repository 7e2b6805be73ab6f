import { boxHoldsReturned, hasPlaceholder } from '../../core/delivery/box.ts';
import { normalisePrompt } from '../../core/delivery/decide.ts';
import { readQueue } from '../../platform/claude/index.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import type { SessionActor } from '../session/actor.ts';
import { leftoversOf, recentDeliveries } from './leftovers.ts';
import { coverOf, draftOf } from './prompt-box.ts';

/** The transcript is written some 100 ms after what it tells; on a loaded machine it takes longer. */
const LOOK_AFTER_MS = [0, 300, 1_500, 5_000] as const;
/** What is put back because a turn ends comes at its end; the status knows up to so much later. Whoever takes texts back by Up does it before. */
const END_MS = 2_000;
/** So long somebody at the terminal has to begin to change what came back, before it is taken out of the prompt and sent. */
const UNTOUCHED_MS = 3_000;

/** What goes back at once is noted within so much. */
const TOGETHER_MS = 100;

/** A look at what came back, one at a time; where something changes during one, there is another after it. */
export function createPutBackLook(actor: SessionActor, onHeldAgain: () => void): () => void {
  const { log } = actor.deps;
  let isLooking = false;
  let hasChanged = false;
  const look = (): void => {
    hasChanged = isLooking;
    if (isLooking) return;
    isLooking = true;
    noticePutBack(actor)
      .then((isHeldAgain) => isHeldAgain && onHeldAgain())
      .catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a transcript could not be read'))
      .finally(() => {
        isLooking = false;
        if (hasChanged) look();
      });
  };
  return look;
}

/**
 * Looks whether what stands in the prompt are texts that CBOS typed during a turn and that Claude Code has put back out of its queue, as its
 * transcript tells. Where that ended the turn and nobody touches them, they are held again; where somebody took them out, or changes them,
 * they are theirs. Only with the session ready: before, nobody knows which it is.
 * @returns whether they are held again
 */
async function noticePutBack(actor: SessionActor): Promise<boolean> {
  if (!isReadyBelowDraft(actor) || leftoversOf(actor) !== null) return false;
  const found = await findPutBack(actor);
  if (found === null) return false;
  const isTouched = (): boolean => draftOf(actor) !== found.draft || !isReadyBelowDraft(actor);
  if (found.isChanged || actor.status.memory().since > found.at + END_MS) {
    keep(actor, found.records, { status: 'sent', note: 'takenBack' });
    return false;
  }
  if (!(await actor.status.until(isTouched, UNTOUCHED_MS))) {
    keep(actor, found.records, { status: 'queued', note: 'putBack' });
    return true;
  }
  // Sent by hand as they were, they are delivered still.
  if (isReadyBelowDraft(actor)) keep(actor, found.records, { status: 'sent', note: 'takenBack' });
  return false;
}

interface PutBack {
  /** in the order in which they stand in the box; of a long one it shows the end */
  records: readonly DeliveryRecord[];
  /** in Unix milliseconds */
  at: number;
  /** what stood in the box then */
  draft: string;
  /** whether somebody has written beside them by then, maybe before the transcript told of them */
  isChanged: boolean;
}

async function findPutBack(actor: SessionActor): Promise<PutBack | null> {
  const taken = recentDeliveries(actor).filter(({ status }) => status === 'delivered');
  if (taken.length === 0) return null;
  const queued = taken.filter(({ note }) => note === 'inQueue').map(({ text }) => normalisePrompt(text));
  for (const delayMs of LOOK_AFTER_MS) {
    if (delayMs > 0) await actor.status.until(() => !isReadyBelowDraft(actor), delayMs);
    if (actor.transcript === null) return null;
    const told = await readQueue(actor.transcript);
    const draft = draftOf(actor);
    // A placeholder may as well stand for what a person has pasted.
    if (draft === null || !isReadyBelowDraft(actor) || hasPlaceholder(draft)) return null;
    const at = Math.max(...told.putBack.values());
    const back = [...told.putBack].flatMap(([text, time]) => (time > at - TOGETHER_MS ? [text] : []));
    if (back.length === 0) continue;
    // The hook tells of a text before it is in the queue: what comes back meanwhile has it beside itself in the box, and it never gets there (2.1.329).
    const onItsWay = queued.filter((text) => !told.queued.has(text) && !told.taken.has(text)).slice(0, 1);
    const texts = [back, [...back, ...onItsWay]].find((some) => boxHoldsReturned(draft, some, queued) !== 'other');
    if (texts === undefined) continue;
    const holds = boxHoldsReturned(draft, texts, queued);
    const records = texts.flatMap((text) => taken.find((one) => normalisePrompt(one.text) === text) ?? []);
    return records.length === texts.length ? { records, at, draft, isChanged: holds === 'more' } : null;
  }
  return null;
}

function keep(
  { deps, slug }: SessionActor,
  records: readonly DeliveryRecord[],
  became: Pick<DeliveryRecord, 'status' | 'note'>,
): void {
  for (const record of records) {
    deps.deliveries.save({ ...record, ...became, updatedAt: deps.clock.now() });
    deps.log.info({ slug, delivery: record.id, ...became }, 'Claude Code has put a queued text back into the prompt');
  }
}

/** Whether the session waits for somebody to send what stands in its prompt. */
function isReadyBelowDraft(actor: SessionActor): boolean {
  if (draftOf(actor) === null) return false;
  const { primary, question } = actor.status.memory();
  const isReady = primary === 'idle' || (primary === 'waiting' && question?.kind === 'closing');
  return isReady && coverOf(actor) === null && !actor.isDead();
}
