import { advance, type Goal, type VisitEnd, visit } from '../../core/delivery/advance.ts';
import { contextOf, decideDelivery, mayTypeHeld } from '../../core/delivery/decide.ts';
import { keepReturned } from '../../core/delivery/ending.ts';
import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import { isDialogNew, type Seen } from '../../core/delivery/seen.ts';
import { takenBy, takeOver } from '../../core/delivery/signs.ts';
import { hasToTakeOut, leftoversOf } from '../../core/delivery/standing.ts';
import { advanceTyping, type Became, SECOND_CONFIRM_MS, typeText } from '../../core/delivery/type-text.ts';
import { AT_REST, advanceWatch } from '../../core/delivery/watch.ts';
import { CatalogueError, type Delivery, isAsking, type Send } from '../../protocol/index.ts';
import type { ArrivedHook, SessionActor } from '../session/actor.ts';
import { notContinuedError, REPORT_MS } from '../session/continued.ts';
import { type Deliverer, type JournalWith, openDeliveryJournal } from '../session/delivery-journal.ts';
import { forgetOldStop, isQueueStopped, stopQueue } from '../session/queue-stop.ts';
import { deliveriesOf, seeDelivery } from '../session/see-delivery.ts';
import { isMissing } from '../session/session-conversation.ts';
import type { Dispose } from '../sessions.ts';
import { carryOn } from './carry-on.ts';

/**
 * How long the sender of a prompt waits until a parked session is awake. Waking takes 1.2 s, and longer on a loaded
 * machine.
 */
const WOKEN_MS = 30_000;

/** How often CBOS looks at what nothing reports: Enter submits again, or what looked like a dialog is gone. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Creates the deliverer that types prompts into a terminal session. `core/delivery` decides what to do.
 * @param wake wakes the session if it is parked
 */
export function createDeliverer(actor: SessionActor, wake: () => Promise<void>): Deliverer {
  const { clock, log } = actor.deps;
  const journal = openDeliveryJournal(actor);
  const { earlier, find, view } = journal;
  const machine = { actor, journal };

  let watched = AT_REST;
  let isWatching = false;
  let hasChanged = false;
  let waking: Promise<void> | null = null;
  let stopLooking: Dispose | null = null;
  takeOverTexts();
  const stopHooks = actor.onHook(confirmByHook);
  const stopChanges = actor.onChange(() => {
    watch();
    consider();
  });

  function takeOverTexts(): void {
    const deliveries = deliveriesOf(actor);
    const resumed = deliveries.queued.filter(({ phase }) => phase === 'resumed');
    const ids = new Set([...deliveries.sent, ...resumed].map(({ id }) => id));
    actor.textsLeft = { ids, begunAt: clock.elapsed(), placeholder: null };
    journal.apply(takeOver(deliveries));
  }

  function confirmByHook({ event, payload: { prompt } }: ArrivedHook): void {
    if (event !== 'UserPromptSubmit' || typeof prompt !== 'string') return;
    // Whatever was already in the box was sent together with the prompt.
    actor.promptKeys.rememberAnswerKey(null);
    journal.apply(takenBy(prompt, deliveriesOf(actor), clock.now()));
  }

  /**
   * Looks for signs that Claude Code has taken prompts, and for prompts that are back in the box. Only one check runs
   * at a time. A change during a check causes another check afterwards.
   */
  function watch(): void {
    hasChanged = isWatching;
    if (isWatching) return;
    isWatching = true;
    carryOn(machine, advanceWatch, watched)
      .then((state) => {
        const hasMoved = state !== watched;
        watched = state;
        if (hasMoved) consider();
      })
      .catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a transcript could not be read'))
      .finally(() => {
        isWatching = false;
        if (hasChanged) watch();
      });
  }

  const maySend = ({ isQueueStopped: isStopped, isOverBudget }: Seen): boolean => !isStopped && !isOverBudget;

  /** Types held prompts, or removes whatever blocks the prompt box, if CBOS may do so right now. */
  function consider(): void {
    const seen = seeDelivery(actor);
    if (seen.isParked) {
      if (actor.isListed() && seen.deliveries.queued.length > 0 && maySend(seen)) wakeForTexts();
      return;
    }
    if ((seen.enterDoes !== null || isDialogNew(seen)) && seen.deliveries.queued.length > 0) {
      stopLooking ??= clock.after(LOOK_AGAIN_MS, () => {
        stopLooking = null;
        consider();
      });
    }
    if (!mayTypeHeld(contextOf(seen))) return;
    if ((seen.deliveries.queued.length > 0 && !seen.isQueueStopped) || hasToTakeOut(seen)) flush();
  }

  /**
   * Runs a task in the mailbox while the turn gate is closed. Therefore only one visit to the prompt box is made at a
   * time, and the turn cannot end in the middle of it.
   */
  const whileHeld = <T>(task: () => Promise<T>): Promise<T> =>
    actor.mailbox.post(async () => {
      const { launchId } = actor.record;
      const release = launchId === null || actor.isDead() ? null : actor.deps.holdTurn(launchId);
      try {
        return await task();
      } finally {
        release?.();
      }
    });

  async function visitPrompt(goal: Goal): Promise<VisitEnd> {
    const state = await carryOn(machine, advance, visit(goal, seeDelivery(actor)));
    if (state.at !== 'over') throw new Error(`a visit rests at ${state.at}`);
    return state.end;
  }

  function flush(): void {
    journal.apply(keepReturned(seeDelivery(actor)));
    whileHeld(async () => {
      const end = await visitPrompt({ kind: 'flush' });
      if (end.kind === 'typed') finish(end.id, end.became);
    }).catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a held prompt could not be typed'));
  }

  /** Handles what became of a typed prompt. @throws CatalogueError not_accepting_text */
  function finish(id: string, became: Became): void {
    if (became === 'unconfirmed') {
      log.warn(
        { slug: actor.slug, delivery: id },
        'the prompt was typed, but nothing shows that Claude Code received it',
      );
    }
    if (became === 'beside_leftover') flush();
    if (became !== 'beside_draft') return;
    const cause = besideDraft();
    journal.fail(id, cause);
    throw cause;
  }

  async function type(record: DeliveryRecord, how: { confirm: 'turn' | 'queue'; force: boolean }): Promise<Delivery> {
    const state = await carryOn(machine, advanceTyping, typeText(record, how, seeDelivery(actor))).catch(
      (cause: unknown) => {
        // The sender learns from the error that the prompt was not sent, so it must not be sent later.
        const { phase, held } = find(record.id);
        if (phase === 'held' && !held) journal.fail(record.id, cause);
        throw cause;
      },
    );
    if (state.at === 'over') finish(record.id, state.became);
    return view(find(record.id));
  }

  async function sendNow(request: Send, journalWith?: JournalWith): Promise<Delivery> {
    const again = earlier(request);
    if (again !== null) return view(again);
    const clean = journal.clean(request);
    const end = await visitPrompt({ kind: 'send', request: clean });
    // While this request was waiting, the same request may have arrived again and been held.
    const repeated = earlier(request);
    if (repeated !== null) return view(repeated);
    switch (end.kind) {
      case 'refuse':
        throw journal.refusal(end);
      case 'hold':
        return hold(request, journalWith);
      case 'type': {
        const record = journal.begin(request, { held: false, journalWith });
        const isNext = !end.hasCleared || seeDelivery(actor).deliveries.queued[0]?.id === record.id;
        if (isNext || isQueueStopped(actor)) return type(record, { confirm: end.confirm, force: clean.force });
        // Prompts that this visit removed from the box are sent first, so this one is held.
        journal.apply([{ id: record.id, phase: 'held', held: true }]);
        flush();
        return view(find(record.id));
      }
      default:
        throw besideDraft();
    }
  }

  /**
   * Saves a prompt that CBOS holds. Because it is saved first, it is typed exactly once, whatever then happens to the
   * session or the server.
   */
  function hold(request: Send, journalWith?: JournalWith): Delivery {
    const record = journal.begin(request, { held: true, journalWith });
    const seen = seeDelivery(actor);
    if (seen.isParked && !seen.isOverBudget) wakeForTexts();
    else if (mayTypeHeld(contextOf(seen))) flush();
    else consider();
    return view(record);
  }

  function wakeForTexts(): void {
    if (waking !== null) return;
    waking = wake().finally(() => {
      waking = null;
    });
    waking.catch((cause: unknown) => {
      log.error({ slug: actor.slug, err: cause }, 'a parked session could not be woken for a prompt');
      // Another attempt would fail in the same way, until a person does something about it.
      if (isMissing(cause)) stopQueue(actor);
    });
  }

  /**
   * Waits for the outcome of a prompt that wakes its session. If the session cannot be woken, the sender learns that
   * the prompt did not arrive, so it must not be sent later.
   */
  async function woken(delivery: Delivery): Promise<Delivery> {
    const isHeld = (): boolean => statusOf(find(delivery.id)) === 'queued';
    try {
      await waking;
    } catch (cause) {
      if (isHeld()) journal.fail(delivery.id, cause);
      throw cause;
    }
    const isOther = (): boolean => seeDelivery(actor).conversed === 'another';
    const isOver = (): boolean => (isHeld() ? isOther() : statusOf(find(delivery.id)) !== 'sent');
    await actor.status.until(isOver, WOKEN_MS);
    if (isHeld() && isOther()) {
      const cause = notContinuedError(actor);
      journal.fail(delivery.id, cause);
      throw cause;
    }
    return view(find(delivery.id));
  }

  /**
   * Waits until a session that has just been launched reports its conversation. Otherwise the prompt would be held, and
   * its sender would not learn that it cannot be sent.
   */
  async function conversationKnown(): Promise<void> {
    const isKnown = (): boolean => seeDelivery(actor).conversed !== 'awaited' || isAsking(actor.status.memory());
    await actor.status.until(isKnown, REPORT_MS);
  }

  /**
   * Returns the outcome of an earlier request with the same idempotency key. If the prompt of that request is still
   * being sent, this function waits for the outcome.
   */
  async function settled({ id }: DeliveryRecord): Promise<Delivery> {
    await actor.status.until(() => statusOf(find(id)) !== 'sent', SECOND_CONFIRM_MS);
    return view(find(id));
  }

  return {
    send: async (request, journalWith) => {
      const known = earlier(request);
      if (known !== null) return settled(known);
      forgetOldStop(actor);
      if (request.queue !== true) await conversationKnown();
      actor.recording?.look();
      // The decision is made twice: now, so that the caller learns immediately whether the prompt is refused or held,
      // and again when the mailbox runs the request.
      const context = contextOf(seeDelivery(actor));
      const clean = journal.clean(request);
      // Whatever blocks the prompt box now may be gone by the time the mailbox runs this request.
      const passing = { draft: null, cover: context.cover === 'unknown' ? null : context.cover, isDialogNew: false };
      const decision = decideDelivery(clean.queue ? context : { ...context, ...passing }, clean);
      if (decision.kind === 'refuse') throw journal.refusal(decision);
      const sent = await (decision.kind === 'hold'
        ? hold(request, journalWith)
        : whileHeld(() => sendNow(request, journalWith)));
      const isAwaited = waking !== null && sent.status === 'queued' && request.queue !== true;
      return isAwaited ? woken(sent) : sent;
    },
    list: journal.list,
    get: (id) => view(find(id)),
    change: journal.change,
    cancel: async (id) => {
      const cancelled = await journal.cancel(id);
      const seen = seeDelivery(actor);
      if (leftoversOf(seen) !== null && mayTypeHeld(contextOf(seen))) flush();
      return cancelled;
    },
    dispose: () => {
      stopHooks();
      stopChanges();
      stopLooking?.();
    },
  };
}

function besideDraft(): CatalogueError {
  return new CatalogueError(
    'not_accepting_text',
    'Somebody typed at the same time, so the prompt now contains both texts, and neither has been sent',
    { hint: 'Attach with `cbos attach SLUG`, and send or delete the text in the prompt' },
  );
}
