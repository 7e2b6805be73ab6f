import { boxHolds, textsInBox } from '../../core/delivery/box.ts';
import { type DeliveryContext, mayTypeHeld, normalisePrompt } from '../../core/delivery/decide.ts';
import { type DeliveryNote, NOTES } from '../../core/delivery/notes.ts';
import { hasBegunTurn } from '../../core/delivery/taken.ts';
import { pressEnter } from '../../platform/gnu-screen/index.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import { CatalogueError, type Delivery, type Send } from '../../protocol/index.ts';
import { markNow } from '../clock.ts';
import type { ArrivedHook, SessionActor } from '../session/actor.ts';
import { type JournalWith, openDeliveryJournal } from '../session/delivery-journal.ts';
import { forgetOldStop, isQueueStopped } from '../session/queue-stop.ts';
import { createSignLook, leftToEnter, takeOver } from './after-crash.ts';
import {
  finishEnding,
  hasToTakeOut,
  keepReturned,
  leftoversOf,
  recentDeliveries,
  takeOutLeftovers,
} from './leftovers.ts';
import {
  coverOf,
  draftOf,
  enterStanding,
  isBoxEmpty,
  isDialogOpen,
  isKeptFromPrompt,
  typeIntoPrompt,
  withTurnHeld,
} from './prompt-box.ts';
import { createPutBackLook } from './put-back.ts';

/**
 * A hook ends a turn before the screen is drawn anew, and what stood in the prompt then seems to be a draft still; while it is drawn, no
 * prompt may be there. So long is waited before that is believed.
 */
const DRAFT_SETTLE_MS = 1_500;
/** So long may Claude Code take to say that it took a prompt (seen: 20 to 150 ms) before Enter is pressed once more. */
const FIRST_CONFIRM_MS = 1_500;
/** And so long after that; then the delivery stays `sent`, and a late sign still confirms it. */
const SECOND_CONFIRM_MS = 2_500;
/** A text that Claude Code queues leaves the box within 100 ms; 2.1.329 fires its hook too, older versions only when the turn takes it. */
const QUEUE_CONFIRM_MS = 1_000;

/** So late may a hook still tell that a text was taken which seemed to stand in the prompt, and was cleared away: its Enter came first. */
const LATE_SIGN_MS = 10_000;

/** An Enter that a person types shows by a hook or a turn within 20 to 150 ms, a text in the box within 100 ms; on a loaded machine it takes longer. */
const MISSING_MS = 1_500;

/** From the hook that ends a turn to the beginning of the next, from the queue: 0.1 s, and more on a loaded machine. */
const QUEUE_BEGINS_MS = 1_000;

/** Notes that a late sign belies, or ends. */
const DENIALS: readonly (DeliveryNote | null)[] = ['cleared', 'neverShown', 'resumed', 'unsent', 'looking', 'noSign'];

/** Held, and typed before: what is sent now comes after it. */
const RETURNED: readonly DeliveryNote[] = ['putBack', 'underView', 'unread', 'resumed'];

/** Sends texts to one session's prompt: decide, journal, type, confirm, journal. */
export interface Deliverer {
  send(request: Send, journalWith?: JournalWith): Promise<Delivery>;
  list(): Delivery[];
  /** @throws CatalogueError no_such_delivery */
  get(id: string): Delivery;
  change(id: string, text: string): Promise<Delivery>;
  cancel(id: string): Promise<Delivery>;
  dispose(): void;
}

/** How a text was typed, and when. */
interface TypedHow {
  confirm: 'turn' | 'queue';
  force: boolean;
  /** the box showed it */
  isShown: boolean;
  typedAt: () => number;
}

export function createDeliverer(actor: SessionActor): Deliverer {
  const { clock, log } = actor.deps;
  const journal = openDeliveryJournal(actor);
  const { decide, earlier, save, commit, find, view, withStatus } = journal;

  takeOver(actor, journal);

  const stopHooks = actor.onHook((hook) => confirmByHook(hook));
  const lookForPutBack = createPutBackLook(actor, flush);
  const lookForSigns = createSignLook(actor, journal);
  const stopChanges = actor.onChange(() => {
    lookForSigns();
    if (mayTypeHeld(contextOf(actor))) {
      const mayGo = withStatus('queued').length > 0 && !isQueueStopped(actor);
      if (mayGo || hasToTakeOut(actor)) flush();
    } else if (draftOf(actor) !== null) lookForPutBack();
  });

  /**
   * The journal's entries that a prompt seen by a hook is made of: the oldest that was typed and reads the same, or several that stood in the
   * box together. One that is held and has a note was typed before: a person may have sent it from the box.
   */
  function confirmByHook(hook: ArrivedHook): void {
    const { prompt } = hook.payload;
    if (hook.event !== 'UserPromptSubmit' || typeof prompt !== 'string') return;
    // What stood in the box went with it.
    actor.rememberAnswerKey(null);
    const seen = normalisePrompt(prompt);
    const held = withStatus('queued').filter(({ note }) => note !== null);
    const isJustCleared = ({ note, updatedAt }: DeliveryRecord): boolean => {
      const ageMs = clock.now() - updatedAt;
      // Below 0 the clock was set back since, and nobody knows how long ago that was.
      return (note === 'cleared' || note === 'unsent') && ageMs >= 0 && ageMs < LATE_SIGN_MS;
    };
    const cleared = withStatus('failed').filter(isJustCleared);
    const open = [...withStatus('unknown'), ...withStatus('sent'), ...held, ...cleared];
    const same = open.findIndex(({ text }) => normalisePrompt(text) === seen);
    const texts = open.map(({ text }) => text);
    for (const index of same >= 0 ? [same] : (textsInBox(prompt, texts) ?? [])) {
      const record = open[index];
      if (record === undefined) continue;
      const told = record.phase === 'queueing' ? 'inQueue' : null;
      save(record, 'delivered', { note: DENIALS.includes(record.note) ? told : record.note });
    }
  }

  /** Types a journalled text. How far it may have got is written down before each step: what was begun is never begun again without a proof. */
  async function type(record: DeliveryRecord, how: { confirm: 'turn' | 'queue'; force: boolean }): Promise<Delivery> {
    const typedAt = markNow(clock);
    const typed = commit(record, 'sent', { phase: 'typing', note: null });
    const hold = (note: DeliveryNote): Delivery => view(save(typed, 'queued', { note, held: true }));
    const { text, command } = record;
    let isShown = false;
    try {
      const onEnter = (): void => writeEnter(typed.id, how.confirm);
      const became = await typeIntoPrompt(actor, { text, command, force: how.force, onEnter });
      if (became === 'behind_dialog') return hold('behindDialog');
      if (became === 'behind_view') return hold('behindView');
      if (became === 'unread') return view(save(typed, 'sent', { note: 'unread' }));
      if (became === 'beside_draft') {
        if (leftoversOf(actor) === null) throw besideDraft();
        flush();
        return hold('besideLeftover');
      }
      finishEnding(actor);
      isShown = became === 'entered';
    } catch (cause) {
      save(typed, 'failed', { reason: cause instanceof CatalogueError ? cause.message : null });
      throw cause;
    }
    await confirmTyped(typed, { ...how, isShown, typedAt });
    return view(find(record.id));
  }

  function writeEnter(id: string, confirm: 'turn' | 'queue'): void {
    const record = find(id);
    // A person at the terminal may have pressed it already.
    if (record.status === 'delivered') return;
    const isQueue = confirm === 'queue';
    commit(record, 'sent', { phase: isQueue ? 'queueing' : 'entering', note: isQueue ? 'inQueue' : null });
  }

  /** Sends what stands in the prompt since a crash. @returns false where it does not stand there any more */
  async function enterLeft(record: DeliveryRecord): Promise<boolean> {
    const typedAt = markNow(clock);
    if (!(await enterStanding(actor, record.text, () => writeEnter(record.id, 'turn')))) return false;
    finishEnding(actor);
    await confirmTyped(find(record.id), { confirm: 'turn', force: false, isShown: true, typedAt });
    return true;
  }

  /** Waits for the first sign that Claude Code took it: its hook, a turn that began, or for its queue and for commands an empty prompt again. */
  async function confirmTyped(record: DeliveryRecord, { confirm, force, isShown, typedAt }: TypedHow): Promise<void> {
    // What the box never showed may have been lost on the way to it, and a turn that begins another one's.
    const hasHooks = actor.record.launchId !== null && !force;
    const enteredAt = markNow(clock);
    let hasShown = isShown;
    const isConfirmed = (): boolean => {
      // A loaded machine may draw it, and take its Enter, later than was waited for.
      hasShown ||= boxHolds(draftOf(actor) ?? '', record.text) === 'text';
      if (actor.deps.deliveries.get(actor.record.id, record.id)?.status === 'delivered') return true;
      if (record.command && (actor.isDead() || hasTakenDraft(actor, enteredAt()))) return true;
      if (confirm === 'queue') return hasShown && hasTakenDraft(actor, enteredAt()) && isBoxEmpty(actor);
      if (!hasShown && hasHooks) return false;
      const { primary, since } = actor.status.memory();
      const seen = { primary, since, cover: coverOf(actor), draft: draftOf(actor) };
      return hasBegunTurn(seen, { text: record.text, at: typedAt() });
    };
    const firstMs = confirm === 'queue' ? QUEUE_CONFIRM_MS : FIRST_CONFIRM_MS;
    const atOnce = await actor.status.until(isConfirmed, firstMs);
    const draft = draftOf(actor);
    const isStuck = !atOnce && draft !== null && boxHolds(draft, record.text) !== 'more';
    const mayPress = !actor.isDead() && !isDialogOpen(actor) && !isKeptFromPrompt(actor, record);
    if (isStuck && mayPress) await pressEnter(actor.deps.screen, actor.target);
    const confirmed = atOnce || (await actor.status.until(isConfirmed, confirm === 'queue' ? 0 : SECOND_CONFIRM_MS));
    if (confirmed) save(find(record.id), 'delivered');
    else if (isKeptFromPrompt(actor, record)) save(find(record.id), 'sent', { note: 'underView' });
    else if (!hasShown && hasHooks && isBoxEmpty(actor)) save(find(record.id), 'unknown', { note: 'neverShown' });
    else log.warn({ slug: actor.slug, delivery: record.id }, 'typed, but nothing says that Claude Code took it');
  }

  /** What became of a text that was asked for before: where it is on its way, what becomes of it now. */
  async function settled({ id }: DeliveryRecord): Promise<Delivery> {
    const isSettled = (): boolean => actor.deps.deliveries.get(actor.record.id, id)?.status !== 'sent';
    await actor.status.until(isSettled, SECOND_CONFIRM_MS);
    return view(find(id));
  }

  async function sendNow(request: Send, journalWith: JournalWith | undefined): Promise<Delivery> {
    const again = earlier(request);
    if (again !== null) return view(again);
    const force = request.force === true;
    await actor.status.until(() => force || (draftOf(actor) === null && coverOf(actor) === null), DRAFT_SETTLE_MS);
    actor.recording?.look();
    const decision = decide(request, contextOf(actor));
    const isInTheWay = decision.kind === 'type' && decision.confirm === 'turn' && !force && draftOf(actor) !== null;
    if (isInTheWay && !(await takeOutLeftovers(actor))) throw besideDraft();
    const isHeld = decision.kind === 'hold';
    const record = begin(request, journalWith, isHeld);
    if (isHeld) {
      if (mayTypeHeld(contextOf(actor))) flush();
      return view(record);
    }
    if (!isInTheWay || withStatus('queued')[0]?.id === record.id || isQueueStopped(actor)) {
      return type(record, { confirm: decision.confirm, force });
    }
    // What was taken out of the prompt came first.
    flush();
    return view(save(record, 'queued', { held: true }));
  }

  /** A reply that was kept for later is marked as applied with it: nobody can send that again. */
  const begin = (request: Send, journalWith: JournalWith | undefined, isHeld: boolean): DeliveryRecord =>
    journal.begin(request, {
      held: isHeld || journalWith !== undefined,
      journalWith: journalWith ?? ((_, write) => write()),
    });

  /**
   * What was typed before and does not stand in the box: a person may just have sent it, of which the hook tells a moment later, or it is on
   * its way still, as on a loaded machine when a view has just closed.
   * @returns whether it is to be typed again
   */
  async function isMissing(): Promise<boolean> {
    const next = withStatus('queued')[0];
    if (next === undefined || next.note === null) return true;
    const isSent = (): boolean => find(next.id).status !== 'queued' || !mayTypeHeld(contextOf(actor));
    await actor.status.until(() => isSent() || draftOf(actor) !== null, MISSING_MS);
    return !isSent() && (await takeOutLeftovers(actor));
  }

  /** One sender after the other, and not between two turns. */
  const whileHeld = <T>(task: () => Promise<T>): Promise<T> =>
    actor.mailbox.post(() =>
      withTurnHeld(actor, async () => {
        await queueBegins(actor);
        return task();
      }),
    );

  function flush(): void {
    keepReturned(actor);
    whileHeld(async () => {
      if (actor.isDead() || !mayTypeHeld(contextOf(actor))) return;
      const isStopped = isQueueStopped(actor);
      const left = isStopped ? null : leftToEnter(actor);
      if (left !== null && (await enterLeft(left))) return;
      const stood = leftoversOf(actor) !== null;
      if (!(await takeOutLeftovers(actor)) || isStopped || !(stood || (await isMissing()))) return;
      const next = withStatus('queued')[0];
      if (next !== undefined) await type(next, { confirm: 'turn', force: false });
    }).catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a held text could not be typed'));
  }

  return {
    send: (request, journalWith) => {
      const known = earlier(request);
      if (known !== null) return settled(known);
      forgetOldStop(actor);
      actor.recording?.look();
      // Decided twice: now, so that a refusal or a hold answers at once, and again when its turn in the mailbox comes.
      const context = contextOf(actor);
      const cover = context.cover === 'unknown' ? null : context.cover;
      if (decide(request, request.queue === true ? context : { ...context, draft: null, cover }).kind === 'hold') {
        const held = view(begin(request, journalWith, true));
        if (mayTypeHeld(contextOf(actor))) flush();
        return Promise.resolve(held);
      }
      return whileHeld(() => sendNow(request, journalWith));
    },
    list: journal.list,
    get: (id) => view(find(id)),
    change: journal.change,
    cancel: async (id) => {
      const cancelled = await journal.cancel(id);
      // It may stand in the prompt, unsent.
      if (leftoversOf(actor) !== null && mayTypeHeld(contextOf(actor))) flush();
      return cancelled;
    },
    dispose: () => {
      stopHooks();
      stopChanges();
    },
  };
}

/**
 * Where a turn has just ended and the next one begins with what is queued, waits for that: a text that is sent in between passes the queue (2.1.329).
 * Nothing tells of the beginning but the time.
 */
async function queueBegins(actor: SessionActor): Promise<void> {
  const last = recentDeliveries(actor).find(({ status }) => status === 'delivered');
  if (last?.note !== 'inQueue') return;
  const endedAt = actor.status.evidence().hooks.turnEnd?.at ?? 0;
  const leftMs = endedAt + QUEUE_BEGINS_MS - actor.deps.clock.now();
  if (leftMs > 0) await actor.status.until(() => actor.isDead(), leftMs);
}

function besideDraft(): CatalogueError {
  return new CatalogueError('not_accepting_text', NOTES.besideDraft, {
    hint: 'Send or clear what stands in the prompt there (`cbos attach`)',
  });
}

/** Built-in commands fire no hook: that the prompt is empty again says that one was taken. */
function hasTakenDraft(actor: SessionActor, since: number): boolean {
  const screen = actor.status.evidence().screen;
  if (screen === null || screen.reading.cover === 'transcript') return false;
  return screen.progressedAt > since && screen.reading.draft === null;
}

/** What delivery decides by, as it is this moment. */
export function contextOf(actor: SessionActor): DeliveryContext {
  const draft = draftOf(actor) === null ? null : leftoversOf(actor) === null ? 'foreign' : 'own';
  const { adopted, id } = actor.record;
  const held = actor.deps.deliveries.withStatus(id, 'queued');
  const isStopped = isQueueStopped(actor);
  const hasReturned =
    (!isStopped && held.some(({ note }) => note !== null && RETURNED.includes(note))) ||
    (draft === 'own' && leftToEnter(actor) !== null);
  const isUnread = actor.unread.isWaiting();
  const status = actor.status.memory();
  return { status, adopted, draft, hasReturned, isQueueStopped: isStopped, isUnread, cover: coverOf(actor) };
}
