import { contextOf, type DeliveryDecision, decideDelivery, mayTypeHeld } from '../../core/delivery/decide.ts';
import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import { CatalogueError, type Delivery, type Send } from '../../protocol/index.ts';
import { overBudgetText, raiseHint } from '../../text/budget-words.ts';
import { UNREPORTED } from '../../text/delivery-words.ts';
import type { SessionActor } from '../session/actor.ts';
import { type Deliverer, openDeliveryJournal } from '../session/delivery-journal.ts';
import { failedSetUp } from '../session/failed-set-up.ts';
import { forgetOldStop, isQueueStopped, stopQueue } from '../session/queue-stop.ts';
import { seeDelivery } from '../session/see-delivery.ts';
import { isMissing, showingMissing } from '../session/session-conversation.ts';
import { createConfirmation, type Delivering, failUnconfirmed, settleLeft } from './confirm-prompts.ts';
import type { JsonDriver } from './driver.ts';

/**
 * How long to wait for Claude Code to confirm a prompt. The confirmation takes 50 ms. If Claude Code must be started
 * first, it takes a second, or several seconds on a loaded machine.
 */
const CONFIRM_MS = 20_000;

/**
 * A deliverer for JSON sessions, where events confirm that a prompt has arrived. The id of a delivery is also the
 * `uuid` of its prompt.
 */
export interface JsonDeliverer extends Deliverer {
  /**
   * Sends a prompt without waiting for its confirmation. The caller has already decided that the prompt may be sent.
   * @returns the delivery's id
   */
  invoke(text: string): Promise<string>;
  /**
   * Called after a server restart. Determines what became of the prompts that were being sent when the previous server
   * ended.
   */
  settle(): void;
}

/** @param requireSaved throws if the next process could not continue the session's conversation */
export function createJsonDeliverer(
  actor: SessionActor,
  driver: JsonDriver,
  requireSaved: () => Promise<unknown>,
): JsonDeliverer {
  const { log } = actor.deps;
  const journal = openDeliveryJournal(actor);
  const { earlier, find, view, withStatus } = journal;
  const parts = { actor, driver, journal };

  const stops = [
    driver.onEvent(createConfirmation(parts)),
    driver.onEnd(() => failUnconfirmed(parts)),
    actor.onChange(() => {
      if (withStatus('queued').length > 0 && !isQueueStopped(actor) && mayGo()) flush();
    }),
  ];

  const mayGo = (): boolean => mayTypeHeld(contextOf(seeDelivery(actor)));

  async function send(record: DeliveryRecord): Promise<Delivery> {
    await hand(parts, record);
    await actor.status.until(() => statusOf(find(record.id)) !== 'sent', CONFIRM_MS);
    const { phase } = find(record.id);
    const status = statusOf({ phase });
    if (status === 'failed' && phase !== 'refused') {
      const { error } = driver.evidence.turnEnd ?? {};
      throw (
        failedSetUp(actor) ??
        new CatalogueError('launch_failed', error ?? 'Claude Code exited before it received the prompt')
      );
    }
    if (status === 'sent')
      log.warn({ slug: actor.slug, delivery: record.id }, 'nothing shows that Claude Code received the prompt');
    return view(find(record.id));
  }

  function flush(): void {
    actor.mailbox
      .post(async () => {
        await driver.settleTrust();
        const next = isQueueStopped(actor) ? undefined : withStatus('queued')[0];
        if (next === undefined || actor.isDead() || !mayGo()) return;
        // Without this check, the prompt would fail instead of remaining in the queue.
        if (!driver.isRunning()) await showingMissing(actor, requireSaved);
        await send(next);
      })
      .catch((cause: unknown) => {
        log.error({ slug: actor.slug, err: cause }, 'a held prompt could not be sent');
        if (isMissing(cause)) stopQueue(actor);
      });
  }

  return {
    send: async (request, journalWith) => {
      const known = earlier(request);
      if (known !== null) return view(known);
      forgetOldStop(actor);
      if (isHeld(parts, request)) {
        const held = view(journal.begin(request, { held: true, journalWith }));
        if (mayGo()) flush();
        return held;
      }
      return actor.mailbox.post(async () => {
        const again = earlier(request);
        if (again !== null) return view(again);
        await driver.settleTrust();
        const hold = isHeld(parts, request);
        const record = journal.begin(request, { held: hold, journalWith });
        return hold ? view(record) : send(record);
      });
    },
    invoke: async (text) => {
      const over = actor.deps.budgets.overBudget(actor.record);
      if (over !== null) throw new CatalogueError('budget_reached', overBudgetText(over), { hint: raiseHint(over) });
      const record = journal.begin({ text, command: true }, { held: false });
      await hand(parts, record);
      return record.id;
    },
    settle: () => stops.push(settleLeft(parts, requireSaved)),
    list: journal.list,
    get: (id) => view(find(id)),
    change: journal.change,
    cancel: journal.cancel,
    dispose: () => {
      for (const stop of stops) stop();
    },
  };
}

/**
 * Reports whether CBOS holds the prompt for now. Before Claude Code is started, CBOS asks whether the user trusts the
 * folder. A queued prompt waits for that answer, just as it would wait for the start of Claude Code.
 * @throws CatalogueError if the prompt must not be sent at all
 */
function isHeld({ actor, driver, journal }: Delivering, request: Send): boolean {
  const context = contextOf(seeDelivery(actor));
  const isStarting = request.queue === true && driver.evidence.trust !== null;
  const status = isStarting ? { primary: null, detail: null, question: null } : context.status;
  const decision: DeliveryDecision = decideDelivery({ ...context, status }, journal.clean(request));
  if (decision.kind === 'refuse') throw journal.refusal(decision);
  return decision.kind === 'hold';
}

/**
 * The delivery is saved as sent before the prompt is actually sent, so that a crash can never cause the prompt to be
 * sent twice.
 */
async function hand({ actor, driver, journal }: Delivering, record: DeliveryRecord): Promise<void> {
  const { apply, find } = journal;
  const { id, text } = record;
  apply([{ id, phase: 'entering' }]);
  try {
    requireBudget(actor);
    await showingMissing(actor, () => driver.prompt({ id, text }));
    const { phase } = find(id);
    if (phase !== 'refused' && seeDelivery(actor).conversed === 'unreported')
      apply([{ id, phase, reason: UNREPORTED }]);
  } catch (cause) {
    // A prompt from the queue returns to it, because the next process may continue the conversation.
    const isKept = record.held && isMissing(cause);
    if (statusOf(find(id)) === 'sent') apply([{ id, phase: isKept ? 'held' : 'failed' }]);
    // The process has begun another conversation, in which nothing is lost yet.
    if (isMissing(cause) && driver.isRunning()) await driver.end();
    throw cause;
  }
}

function requireBudget(actor: SessionActor): void {
  const { max_budget_usd: budget } = actor.record.launch;
  const { cost_usd: spent } = actor.view();
  if (budget === null || spent === null || spent < budget) return;
  throw new CatalogueError('budget_reached', `${actor.slug} has spent $${spent.toFixed(2)} of its $${budget}`);
}
