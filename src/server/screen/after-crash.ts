import { boxHolds } from '../../core/delivery/box.ts';
import { normalisePrompt } from '../../core/delivery/decide.ts';
import { hasBegunTurn } from '../../core/delivery/taken.ts';
import { readTakenSince } from '../../platform/claude/index.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import type { SessionActor } from '../session/actor.ts';
import type { DeliveryJournal } from '../session/delivery-journal.ts';
import { isPromised, leftoversOf } from './leftovers.ts';
import { coverOf, draftOf, isBoxEmpty } from './prompt-box.ts';
import { createTextsLeft } from './texts-left.ts';

/** How long the prompt must be empty and the session ready before no sign means that there is none: hooks were seen up to 10 s late on a loaded machine. */
const SIGN_MS = 10_000;

/**
 * Says what is known of the texts that a killed server was sending, by how far each had got. One whose Enter was not pressed has not arrived: it is
 * sent, or has failed where its sender cannot ask for it again by its key. Of the others the hooks, the prompt and the transcript tell.
 */
export function takeOver(actor: SessionActor, { withStatus, save }: DeliveryJournal): void {
  const { deps } = actor;
  const resumed = withStatus('queued').filter(({ note }) => note === 'resumed');
  actor.textsLeft = createTextsLeft([...withStatus('sent'), ...resumed], deps.clock);
  for (const record of withStatus('sent')) {
    // Of these it is known where they are, whatever server runs.
    if (record.note === 'underView' || record.note === 'unread' || record.note === 'takenBack') continue;
    // When its Enter was typed stays written down: what the transcript tells must have come after it.
    if (record.phase !== 'typing') deps.deliveries.save({ ...record, note: 'looking' });
    else if (isPromised(record)) save(record, 'queued', { note: 'resumed' });
    else save(record, 'failed', { note: 'unsent' });
  }
}

/** What stands in the prompt since a crash, alone and unsent, and is to be sent; null where nothing does. */
export function leftToEnter(actor: SessionActor): DeliveryRecord | null {
  const [only, ...others] = leftoversOf(actor) ?? [];
  if (only === undefined || others.length > 0 || !isPromised(only)) return null;
  const isLeft =
    (only.status === 'sent' && only.note === 'looking') || (only.status === 'queued' && only.note === 'resumed');
  return isLeft && boxHolds(draftOf(actor) ?? '', only.text) === 'text' ? only : null;
}

/**
 * Looks for what became of texts whose Enter a killed server had typed, once they do not stand in the prompt. Call it at every change of the session.
 * Of an ended session it says at once what the transcript tells.
 */
export function createSignLook(actor: SessionActor, journal: DeliveryJournal): () => void {
  const { withStatus, save } = journal;
  const { log, clock } = actor.deps;
  let isLooking = false;

  const looked = (): DeliveryRecord[] => withStatus('sent').filter(({ note }) => note === 'looking');
  const deliver = (record: DeliveryRecord): void =>
    void save(record, 'delivered', { note: record.phase === 'queueing' ? 'inQueue' : null });

  /** Nothing more can tell of them but the transcript. */
  const isQuiet = (): boolean => {
    const { primary, question } = actor.status.memory();
    const isReady = primary === 'idle' || (primary === 'waiting' && question?.kind === 'closing');
    return actor.isDead() || (isReady && isBoxEmpty(actor));
  };

  /** Without hooks a turn that began is the sign, as for every text. */
  function seeTurn(): void {
    if (actor.record.launchId !== null) return;
    const { primary, since } = actor.status.memory();
    const seen = { primary, since, cover: coverOf(actor), draft: draftOf(actor) };
    for (const record of looked()) if (hasBegunTurn(seen, { text: record.text, at: record.updatedAt })) deliver(record);
  }

  async function judge(): Promise<void> {
    const hasChanged = (): boolean => !isQuiet() || looked().length === 0;
    if (!actor.isDead() && (await actor.status.until(hasChanged, SIGN_MS))) return;
    for (const record of looked()) {
      const { transcript } = actor;
      const told = transcript === null ? null : await readTakenSince(transcript, record.updatedAt);
      // Of a built-in command neither a hook nor the transcript tells: that the prompt is empty does.
      const isTaken = told?.has(normalisePrompt(record.text)) === true || (record.command && !actor.isDead());
      if (isTaken) deliver(record);
      else save(record, 'unknown', { note: 'noSign' });
      log.info({ slug: actor.slug, delivery: record.id, isTaken, at: clock.now() }, 'looked for a text after a crash');
    }
  }

  return () => {
    if (actor.isDead()) {
      const left = withStatus('queued').filter(({ note, held }) => note === 'resumed' && !held);
      for (const record of left) save(record, 'failed', { note: 'sessionEnded' });
    }
    seeTurn();
    if (isLooking || !isQuiet() || looked().length === 0) return;
    isLooking = true;
    judge()
      .catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a transcript could not be read'))
      .finally(() => {
        isLooking = false;
      });
  };
}
