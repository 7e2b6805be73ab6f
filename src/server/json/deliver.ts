import { contextOf, type DeliveryDecision, decideDelivery, mayTypeHeld } from '../../core/delivery/decide.ts';
import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import {
  CatalogueError,
  type ClaudeEvent,
  type Delivery,
  isAborted,
  readPromptRefusal,
  type Send,
} from '../../protocol/index.ts';
import { overBudgetText, raiseHint } from '../../text/budget-words.ts';
import { UNREPORTED } from '../../text/delivery-words.ts';
import type { SessionActor } from '../session/actor.ts';
import { type Deliverer, openDeliveryJournal } from '../session/delivery-journal.ts';
import { failedSetUp } from '../session/failed-set-up.ts';
import { forgetOldStop, isQueueStopped, stopQueue } from '../session/queue-stop.ts';
import { seeDelivery } from '../session/see-delivery.ts';
import { isMissing, showingMissing } from '../session/session-conversation.ts';
import type { JsonDriver } from './driver.ts';

/**
 * How long to wait for Claude Code to confirm a prompt. The confirmation takes 50 ms. If Claude Code must be started
 * first, it takes a second, or several seconds on a loaded machine.
 */
const CONFIRM_MS = 20_000;
/**
 * How long to wait after a server restart for the confirmation of a prompt that the previous server was handing over.
 * Claude Code was running all the time and reads its input at once.
 */
const LEFT_CONFIRM_MS = 5_000;

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
  const { deliveries, log } = actor.deps;
  const journal = openDeliveryJournal(actor);
  const { apply, earlier, find, view, withStatus } = journal;

  const stops = [
    driver.onEvent(confirm),
    driver.onEnd(failUnconfirmed),
    actor.onChange(() => {
      if (withStatus('queued').length > 0 && !isQueueStopped(actor) && mayGo()) flush();
    }),
  ];

  const mayGo = (): boolean => mayTypeHeld(contextOf(seeDelivery(actor)));

  /** the prompt that Claude Code began last */
  let begun: string | null = null;
  /** the prompts of the turn that is running */
  const running = new Set<string>();

  /** Marks a prompt as refused, which Claude Code reports after it has begun the prompt (2.1.330). */
  function refuse(event: ClaudeEvent): void {
    const notice = event.type === 'result' && event.num_turns === 0 ? event.result : event.content;
    const refusal = typeof notice === 'string' ? readPromptRefusal(notice) : null;
    const id = begun ?? withStatus('sent')[0]?.id;
    if (refusal === null || id === undefined || deliveries.get(actor.record.id, id) === null) return;
    apply([{ id, phase: 'refused', reason: refusal.words }]);
  }

  /** Marks a prompt whose turn was interrupted. */
  function interrupt(id: string): void {
    const record = deliveries.get(actor.record.id, id);
    if (record?.phase === 'taken') apply([{ id, phase: 'interrupted' }]);
  }

  /**
   * Marks a prompt as taken. Claude Code repeats each prompt that it takes; newer versions first report that they have
   * queued the prompt.
   */
  function confirm(event: ClaudeEvent): void {
    confirmTaken(event);
    if (event.type !== 'result') return;
    if (isAborted(event)) running.forEach(interrupt);
    running.clear();
  }

  function confirmTaken(event: ClaudeEvent): void {
    const id = event.type === 'command_lifecycle' ? event.command_uuid : event.isReplay === true ? event.uuid : null;
    if (event.type === 'result' || (event.type === 'system' && event.subtype === 'informational')) refuse(event);
    if (typeof id !== 'string') return;
    if (event.state === 'started') begun = id;
    // After an interrupt, the turn of the next prompt may begin at once, so its result tells nothing about this one.
    if (event.state === 'cancelled') interrupt(id);
    if (event.state === 'started' || event.isReplay === true) running.add(id);
    const record = deliveries.get(actor.record.id, id);
    const status = record === null ? null : statusOf(record);
    if (status === 'sent' || status === 'unknown') apply([{ id, phase: 'taken' }]);
  }

  /**
   * Marks the unconfirmed prompts as failed once the process has ended, because without a process no prompt can still
   * be taken. The prompts in Claude Code's queue are lost with the process (2.1.330).
   */
  function failUnconfirmed(): void {
    if (driver.isRunning()) return;
    for (const { id } of withStatus('sent')) apply([{ id, phase: 'failed' }]);
    const queued = driver.evidence.open.filter(({ stage }) => stage === 'queued');
    for (const { id } of queued) {
      if (deliveries.get(actor.record.id, id)?.phase === 'taken') apply([{ id, phase: 'session_ended' }]);
    }
  }

  /**
   * The previous server may have been killed before it wrote a prompt. Otherwise the session would seem to run that
   * prompt forever, and CBOS would hold everything after it.
   */
  function settle(): void {
    showWhyHeld();
    failUnconfirmed();
    const left = withStatus('sent');
    if (left.length === 0) return;
    const giveUp = (): void => {
      for (const { id } of left) {
        if (statusOf(find(id)) !== 'sent') continue;
        apply([{ id, phase: 'no_sign' }]);
        driver.withdraw(id);
      }
    };
    stops.push(actor.deps.clock.after(LEFT_CONFIRM_MS, giveUp));
  }

  /**
   * A lost conversation pauses the queue, and the pause outlives the server. The reason is looked up again, because
   * otherwise the faces would show a pause that nobody asked for.
   */
  function showWhyHeld(): void {
    if (driver.isRunning() || !isQueueStopped(actor) || withStatus('queued').length === 0) return;
    showingMissing(actor, requireSaved).catch((cause: unknown) => {
      if (!isMissing(cause)) log.error({ slug: actor.slug, err: cause }, 'a conversation could not be looked for');
    });
  }

  /**
   * Reports whether CBOS holds the prompt for now. Before Claude Code is started, CBOS asks whether the user trusts the
   * folder. A queued prompt waits for that answer, just as it would wait for the start of Claude Code.
   * @throws CatalogueError if the prompt must not be sent at all
   */
  function isHeld(request: Send): boolean {
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
  async function hand(record: DeliveryRecord): Promise<void> {
    const { id, text } = record;
    apply([{ id, phase: 'entering' }]);
    try {
      requireBudget();
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

  function requireBudget(): void {
    const { max_budget_usd: budget } = actor.record.launch;
    const { cost_usd: spent } = actor.view();
    if (budget === null || spent === null || spent < budget) return;
    throw new CatalogueError('budget_reached', `${actor.slug} has spent $${spent.toFixed(2)} of its $${budget}`);
  }

  async function send(record: DeliveryRecord): Promise<Delivery> {
    await hand(record);
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
      if (isHeld(request)) {
        const held = view(journal.begin(request, { held: true, journalWith }));
        if (mayGo()) flush();
        return held;
      }
      return actor.mailbox.post(async () => {
        const again = earlier(request);
        if (again !== null) return view(again);
        await driver.settleTrust();
        const hold = isHeld(request);
        const record = journal.begin(request, { held: hold, journalWith });
        return hold ? view(record) : send(record);
      });
    },
    invoke: async (text) => {
      const over = actor.deps.budgets.overBudget(actor.record);
      if (over !== null) throw new CatalogueError('budget_reached', overBudgetText(over), { hint: raiseHint(over) });
      const record = journal.begin({ text, command: true }, { held: false });
      await hand(record);
      return record.id;
    },
    settle,
    list: journal.list,
    get: (id) => view(find(id)),
    change: journal.change,
    cancel: journal.cancel,
    dispose: () => {
      for (const stop of stops) stop();
    },
  };
}
