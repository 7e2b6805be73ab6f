import { v7 as uuid } from 'uuid';
import {
  askedFor,
  type DeliveryDecision,
  type DeliveryRequest,
  isCommand,
  type RefusalReason,
} from '../../core/delivery/decide.ts';
import { beginEnding } from '../../core/delivery/ending.ts';
import { cleanText } from '../../core/delivery/paste.ts';
import { type Change, type DeliveryRecord, statusOf, WRITTEN_FIRST } from '../../core/delivery/record.ts';
import { leftoversOf } from '../../core/delivery/standing.ts';
import {
  CatalogueError,
  type Delivery,
  type DeliveryPhase,
  type DeliveryStatus,
  type ErrorCode,
  type Send,
} from '../../protocol/index.ts';
import { overBudgetText, raiseHint } from '../../text/budget-words.ts';
import { deliveryNote, refusalWords } from '../../text/delivery-words.ts';
import type { SessionActor } from './actor.ts';
import { changeByTurn } from './begun.ts';
import { notContinuedError } from './continued.ts';
import { failedSetUp } from './failed-set-up.ts';
import { deliveriesOf, enterOf, seeDelivery } from './see-delivery.ts';
import { toTimestamp } from './view.ts';

/**
 * Calls `save` to save a delivery's journal entry, together with something else in the same transaction. Throws if the
 * text must not be sent.
 */
export type JournalWith = (deliveryId: string, save: () => void) => void;

/** Sends prompts to one session. */
export interface Deliverer {
  /** @throws CatalogueError if the prompt must not be sent, or was not sent */
  send(request: SentText, journalWith?: JournalWith): Promise<Delivery>;
  list(): Delivery[];
  /** @throws CatalogueError no_such_delivery */
  get(id: string): Delivery;
  /** @throws CatalogueError no_such_delivery, delivery_final, command_prefix */
  change(id: string, text: string): Promise<Delivery>;
  /** @throws CatalogueError no_such_delivery, delivery_final */
  cancel(id: string): Promise<Delivery>;
  dispose(): void;
}

/**
 * A prompt, with its sender if a process inside a session has sent it. Clients cannot specify a sender in their
 * requests.
 */
export interface SentText extends Send {
  from?: string;
}

/** The error codes of some refusals; all other refusals have the code `not_accepting_text`. */
const REFUSED_AS: Readonly<Partial<Record<RefusalReason, ErrorCode>>> = {
  not_adopted: 'not_adopted',
  shell_command: 'command_prefix',
  slash_command: 'command_prefix',
};

/**
 * The stored deliveries of one session. Both types of session use the same journal, although prompts reach them in
 * different ways.
 */
export interface DeliveryJournal extends Pick<Deliverer, 'list' | 'change' | 'cancel'> {
  /**
   * Returns the request in the form that delivery decisions are based on. @throws CatalogueError invalid_request for an
   * empty text
   */
  clean(request: Send): DeliveryRequest;
  /** Returns the error for a prompt that must not be sent at all. */
  refusal(decision: Extract<DeliveryDecision, { kind: 'refuse' }>): CatalogueError;
  /**
   * Returns an earlier delivery of the same prompt with the same idempotency key; null if there is none.
   * @throws CatalogueError idempotency_conflict
   */
  earlier(request: Send): DeliveryRecord | null;
  /**
   * Saves a new delivery in the phase `held`. If `how.held` is set, the sender learns that CBOS is holding the prompt.
   * For a stashed reply, no sender is waiting.
   */
  begin(request: SentText, how: { held: boolean; journalWith?: JournalWith | undefined }): DeliveryRecord;
  /**
   * Saves what became of prompts, as soon as the home is writable. Phases in `WRITTEN_FIRST` are saved immediately.
   * @throws CatalogueError while the home is not writable, in which case the next step must not be taken
   */
  apply(changes: readonly Change[]): void;
  /** Saves that a prompt was not sent, and why. */
  fail(id: string, cause: unknown): void;
  /** @throws CatalogueError no_such_delivery */
  find(id: string): DeliveryRecord;
  /** Returns the deliveries with this status, in the order in which they were saved. */
  withStatus(status: DeliveryStatus): DeliveryRecord[];
  view(record: DeliveryRecord): Delivery;
}

export function openDeliveryJournal(actor: SessionActor): DeliveryJournal {
  const { deliveries, clock } = actor.deps;
  const sessionId = (): string => actor.record.id;

  function apply(changes: readonly Change[]): void {
    for (const { id, keepsTime, ...change } of changes) {
      const record = find(id);
      const next = { ...record, ...change, updatedAt: keepsTime ? record.updatedAt : clock.now() };
      if (WRITTEN_FIRST.has(change.phase)) deliveries.commit(next);
      else deliveries.save(next);
      const begun = change.phase === 'taken' && !isCommand(record.text) ? changeByTurn(actor) : null;
      if (begun !== null) actor.update(begun);
    }
  }

  const view = (record: DeliveryRecord): Delivery => viewOf(actor, record);

  function find(id: string): DeliveryRecord {
    const record = deliveries.get(sessionId(), id);
    if (record === null) throw new CatalogueError('no_such_delivery', `${actor.slug} has no delivery ${id}`);
    return record;
  }

  function findHeld(id: string): DeliveryRecord {
    const record = find(id);
    if (statusOf(record) === 'queued') return record;
    throw new CatalogueError('delivery_final', `The delivery is already ${statusOf(record)}`);
  }

  /** Saves a change that a client has requested, or throws. */
  function commit(record: DeliveryRecord, change: Partial<DeliveryRecord> & { phase: DeliveryPhase }): Delivery {
    const next = { ...record, ...change, updatedAt: clock.now() };
    deliveries.commit(next);
    actor.deps.budgets.note();
    return view(next);
  }

  return {
    clean: ({ text, command = false, force = false, queue = false }) => {
      const clean = cleanText(text).text;
      if (clean.trim() !== '') return { text: clean, command, force, queue };
      throw new CatalogueError('invalid_request', 'The prompt contains only control characters');
    },
    refusal: (decision) => refusalOf(actor, decision),
    earlier: ({ idempotency_key: key, text }) => {
      if (key === undefined) return null;
      const record = deliveries.byKey(sessionId(), key);
      if (record !== null && record.text !== cleanText(text).text) {
        throw new CatalogueError('idempotency_conflict', `The key "${key}" belongs to another prompt`);
      }
      return record;
    },
    begin: (request, { held, journalWith }) => {
      const now = clock.now();
      const record: DeliveryRecord = {
        ...{ id: uuid(), sessionId: sessionId(), ...cleanText(request.text), command: request.command ?? false },
        ...{ phase: 'held', intoQueue: false, reason: null, createdAt: now, updatedAt: now },
        idempotencyKey: request.idempotency_key ?? null,
        held: held || journalWith !== undefined || request.queue === true,
        sender: request.from ?? null,
      };
      const write = (): void => deliveries.commit(record);
      if (journalWith === undefined) write();
      else journalWith(record.id, write);
      actor.deps.budgets.note();
      return record;
    },
    apply,
    fail: (id, cause) => {
      const reason = cause instanceof CatalogueError ? cause.message : null;
      deliveries.save({ ...find(id), phase: 'failed', reason, updatedAt: clock.now() });
    },
    find,
    withStatus: (status) => deliveries.withStatus(sessionId(), status),
    view,
    list: () => deliveries.list(sessionId()).map(view),
    change: (id, text) =>
      actor.mailbox.post(async () => {
        const record = findHeld(id);
        const clean = cleanText(text);
        if (isCommand(clean.text) && !record.command) throw new CatalogueError('command_prefix');
        if (leftoversOf(seeDelivery(actor))?.some((one) => one.id === id)) {
          const message = "The text is already in the session's prompt, but has not been sent";
          throw new CatalogueError('delivery_final', message, { hint: 'Cancel the delivery, and send another prompt' });
        }
        return commit(record, { phase: record.phase, text: clean.text, removed: clean.removed });
      }),
    cancel: (id) =>
      actor.mailbox.post(async () => {
        const record = findHeld(id);
        return commit(record, { phase: record.phase === 'held' ? 'cancelled' : 'cancelled_typed' });
      }),
  };
}

function viewOf(actor: SessionActor, record: DeliveryRecord): Delivery {
  const { id, text, removed, sender } = record;
  const over = record.phase === 'held' ? actor.deps.budgets.overBudget(actor.record) : null;
  const phase = over === null ? record.phase : 'over_budget';
  const times = { created_at: toTimestamp(record.createdAt), updated_at: toTimestamp(record.updatedAt) };
  const from = sender === null ? {} : { from: sender };
  const note =
    over === null
      ? (boundNote(actor, record) ?? deliveryNote(record.phase, record.intoQueue, record.reason))
      : `${overBudgetText(over)}. ${raiseHint(over)}`;
  return { id, session: actor.slug, text, status: statusOf(record), ...times, removed, ...from, phase, note };
}

/** Returns why a held message waits although the session is ready, if the reason is the user's own keys. */
function boundNote(actor: SessionActor, { phase }: DeliveryRecord): string | null {
  if (phase !== 'held' || enterOf(actor) === null) return null;
  const { message, hint } = refusalWords('enter_bound', { slug: actor.slug, asked: null });
  return `${message}. ${hint}`;
}

function refusalOf(actor: SessionActor, { why, question }: Parameters<DeliveryJournal['refusal']>[0]): CatalogueError {
  const failed = why === 'ended' ? failedSetUp(actor) : null;
  if (failed !== null) return failed;
  if (why === 'another_conversation') return notContinuedError(actor);
  const asked = question === null ? null : askedFor(question);
  // A view may look like a set-up dialog. Behind a view, a question of another kind may be open.
  const view = question === null || question.kind === 'setup' ? actor.view().view?.name : undefined;
  const { message, hint } = refusalWords(why, { slug: actor.slug, asked, view: view ?? null });
  return new CatalogueError(REFUSED_AS[why] ?? 'not_accepting_text', message, {
    ...(hint === undefined ? {} : { hint }),
    ...(question === null ? {} : { extra: { question } }),
  });
}

/** Saves that CBOS is about to end a turn; see `beginEnding`. */
export function noteEnding(actor: SessionActor, by: 'interrupt' | 'answer'): void {
  openDeliveryJournal(actor).apply(beginEnding(deliveriesOf(actor), by));
}
