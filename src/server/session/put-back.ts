import { textsInBox } from '../../core/delivery/box.ts';
import { normalisePrompt } from '../../core/delivery/decide.ts';
import { readPutBack } from '../../platform/claude/index.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import type { SessionActor } from './actor.ts';
import { leftoversOf, NOTES, recentDeliveries } from './leftovers.ts';
import { coverOf, draftOf } from './prompt-box.ts';

/** The transcript is written some 100 ms after what it tells; on a loaded machine it takes longer. */
const LOOK_AFTER_MS = [0, 300, 1_500, 5_000] as const;
/** What is put back because a turn ends comes at its end; the status knows up to so much later. Whoever takes texts back by Up does it before. */
const END_MS = 2_000;
/** So long somebody at the terminal has to begin to change what came back, before it is taken out of the prompt and sent. */
const UNTOUCHED_MS = 3_000;

/**
 * Looks whether what stands in the prompt are texts that CBOS typed during a turn and that Claude Code has put back out of its queue, as its
 * transcript tells. Where that ended the turn and nobody touches them, they are held again; where somebody took them out, or changes them,
 * they are theirs. Only with the session ready: before, nobody knows which it is.
 * @returns whether they are held again
 */
export async function noticePutBack(actor: SessionActor): Promise<boolean> {
  const draft = draftOf(actor);
  const isTouched = (): boolean => draftOf(actor) !== draft || !isReadyBelowDraft(actor);
  if (draft === null || isTouched() || leftoversOf(actor) !== null) return false;
  const queued = queuedIn(draft, recentDeliveries(actor));
  if (queued === null) return false;
  const at = await putBackAt(actor, queued, isTouched);
  if (at === null || isTouched()) return false;
  if (actor.status.memory().since > at + END_MS) {
    keep(actor, queued, { status: 'sent', note: NOTES.takenBack });
    return false;
  }
  if (!(await actor.status.until(isTouched, UNTOUCHED_MS))) {
    keep(actor, queued, { status: 'queued', note: NOTES.putBack });
    return true;
  }
  // Sent by hand as they were, they are delivered still.
  const isChanged = isReadyBelowDraft(actor) && draftOf(actor) !== null;
  if (isChanged) keep(actor, queued, { status: 'sent', note: NOTES.takenBack });
  return false;
}

/** When Claude Code put the last of them back, in Unix milliseconds; null where its transcript does not tell of each. */
async function putBackAt(
  actor: SessionActor,
  records: readonly DeliveryRecord[],
  isOver: () => boolean,
): Promise<number | null> {
  for (const delayMs of LOOK_AFTER_MS) {
    if (delayMs > 0) await actor.status.until(isOver, delayMs);
    if (isOver() || actor.transcript === null) return null;
    const putBack = await readPutBack(actor.transcript);
    const times = records.map(({ text }) => timeOf(putBack, text));
    if (times.every((time) => time !== null)) return Math.max(...times);
  }
  return null;
}

/** The deliveries that Claude Code took into its queue, of which the draft consists; null where it holds anything else. */
function queuedIn(draft: string, deliveries: readonly DeliveryRecord[]): DeliveryRecord[] | null {
  const queued = deliveries.filter(({ status, note }) => status === 'delivered' && note === NOTES.inQueue);
  const found = textsInBox(
    draft,
    queued.map(({ text }) => text),
  );
  return found?.flatMap((index) => queued[index] ?? []) ?? null;
}

function timeOf(putBack: ReadonlyMap<string, number>, text: string): number | null {
  const wanted = normalisePrompt(text);
  for (const [content, at] of putBack) if (normalisePrompt(content) === wanted) return at;
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

function isReadyBelowDraft(actor: SessionActor): boolean {
  const { primary, question } = actor.status.memory();
  const isReady = primary === 'idle' || (primary === 'waiting' && question?.kind === 'closing');
  return isReady && coverOf(actor) === null && !actor.isDead();
}
