import { v7 as uuid } from 'uuid';
import { type DeliveryContext, type DeliveryDecision, decideDelivery, isCommand } from '../../core/delivery/decide.ts';
import { NOTES } from '../../core/delivery/notes.ts';
import { cleanText } from '../../core/delivery/paste.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import { CatalogueError, type Delivery, type DeliveryStatus, type Send } from '../../protocol/index.ts';
import { leftoversOf } from '../screen/leftovers.ts';
import type { SessionActor } from './actor.ts';
import { toTimestamp } from './view.ts';

/** Writes the journal's entry of a delivery by calling `save`, together with something else; throws where it must not be sent. */
export type JournalWith = (deliveryId: string, save: () => void) => void;

/** A text that a process inside a session sends: no request of a client can say so. */
export interface SentText extends Send {
  from?: string;
}

export type DeliveryChange = Partial<Pick<DeliveryRecord, 'note' | 'phase' | 'held' | 'reason'>>;

/** One session's deliveries as they are written down: the same for each type of session, whatever carries the texts. */
export interface DeliveryJournal {
  /** Whether it is sent now or held. @throws CatalogueError where it must not be sent at all */
  decide(request: Send, context: DeliveryContext): Exclude<DeliveryDecision, { kind: 'refuse' }>;
  /** What became of the same text under the same key before. @throws CatalogueError idempotency_conflict */
  earlier(request: Send): DeliveryRecord | null;
  /** Writes a new delivery down, as `queued`. `held`: its sender is told so, or is none that waits for an answer. */
  begin(request: SentText, how: { held: boolean; journalWith: JournalWith }): DeliveryRecord;
  /** Writes down what became of it, as soon as the home can be written; what `change` does not name stays. */
  save(record: DeliveryRecord, status: DeliveryStatus, change?: DeliveryChange): DeliveryRecord;
  /** Writes down what is about to be done with it. @throws while the home cannot be written; then it must not be done */
  commit(record: DeliveryRecord, status: DeliveryStatus, change?: DeliveryChange): DeliveryRecord;
  /** @throws CatalogueError no_such_delivery */
  find(id: string): DeliveryRecord;
  /** in the order they were written down */
  withStatus(status: DeliveryStatus): DeliveryRecord[];
  view(record: DeliveryRecord): Delivery;
  list(): Delivery[];
  /** @throws CatalogueError no_such_delivery, delivery_final, command_prefix */
  change(id: string, text: string): Promise<Delivery>;
  /** @throws CatalogueError no_such_delivery, delivery_final */
  cancel(id: string): Promise<Delivery>;
}

export function openDeliveryJournal(actor: SessionActor): DeliveryJournal {
  const { deliveries, clock } = actor.deps;
  const sessionId = (): string => actor.record.id;

  function save(record: DeliveryRecord, status: DeliveryStatus, change: DeliveryChange = {}): DeliveryRecord {
    const next = { ...record, ...change, status, updatedAt: clock.now() };
    deliveries.save(next);
    return next;
  }

  function commit(record: DeliveryRecord, status: DeliveryStatus, change: DeliveryChange = {}): DeliveryRecord {
    const next = { ...record, ...change, status, updatedAt: clock.now() };
    deliveries.commit(next);
    return next;
  }

  function view(record: DeliveryRecord): Delivery {
    const { id, text, status, removed } = record;
    const note = record.note === null ? record.reason : NOTES[record.note];
    const times = { created_at: toTimestamp(record.createdAt), updated_at: toTimestamp(record.updatedAt) };
    const from = record.sender == null ? {} : { from: record.sender };
    return { id, session: actor.slug, text, status, ...times, removed, ...from, note };
  }

  function find(id: string): DeliveryRecord {
    const record = deliveries.get(sessionId(), id);
    if (record === null) throw new CatalogueError('no_such_delivery', `${actor.slug} has no delivery ${id}`);
    return record;
  }

  function findHeld(id: string): DeliveryRecord {
    const record = find(id);
    if (record.status === 'queued') return record;
    throw new CatalogueError('delivery_final', `The delivery is ${record.status} already`);
  }

  return {
    decide: (request, context) => {
      const { text } = cleanText(request.text);
      if (text.trim() === '') {
        throw new CatalogueError('invalid_request', 'The text is empty once control characters are taken out');
      }
      const { command = false, force = false, queue = false } = request;
      const decision = decideDelivery(context, { text, command, force, queue });
      if (decision.kind !== 'refuse') return decision;
      throw new CatalogueError(decision.code, decision.message, {
        ...(decision.hint === undefined ? {} : { hint: decision.hint.replaceAll('SLUG', actor.slug) }),
        ...(decision.question === null ? {} : { extra: { question: decision.question } }),
      });
    },
    earlier: ({ idempotency_key: key, text }) => {
      if (key === undefined) return null;
      const record = deliveries.byKey(sessionId(), key);
      if (record !== null && record.text !== cleanText(text).text) {
        throw new CatalogueError('idempotency_conflict', `The key "${key}" belongs to another text`);
      }
      return record;
    },
    begin: (request, { held, journalWith }) => {
      const { text, removed } = cleanText(request.text);
      const now = clock.now();
      const record: DeliveryRecord = {
        id: uuid(),
        sessionId: sessionId(),
        text,
        command: request.command ?? false,
        status: 'queued',
        createdAt: now,
        updatedAt: now,
        removed,
        idempotencyKey: request.idempotency_key ?? null,
        phase: 'waiting',
        held: held || request.queue === true,
        note: null,
        reason: null,
        sender: request.from ?? null,
      };
      journalWith(record.id, () => deliveries.commit(record));
      return record;
    },
    save,
    commit,
    find,
    withStatus: (status) => deliveries.withStatus(sessionId(), status),
    view,
    list: () => deliveries.list(sessionId()).map(view),
    change: (id, text) =>
      actor.mailbox.post(async () => {
        const record = findHeld(id);
        const clean = cleanText(text);
        if (isCommand(clean.text) && !record.command) throw new CatalogueError('command_prefix');
        if (leftoversOf(actor)?.some((one) => one.id === id)) {
          throw new CatalogueError('delivery_final', 'It stands in the prompt already, unsent', {
            hint: 'Cancel it, which takes it out, and send another',
          });
        }
        return view(commit({ ...record, text: clean.text, removed: clean.removed }, 'queued'));
      }),
    cancel: (id) => actor.mailbox.post(async () => view(commit(findHeld(id), 'cancelled'))),
  };
}
