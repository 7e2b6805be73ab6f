import { v7 as uuid } from 'uuid';
import { decideDelivery, isCommand, mayTypeHeld } from '../../core/delivery/decide.ts';
import { cleanText } from '../../core/delivery/paste.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import {
  CatalogueError,
  type ClaudeEvent,
  type Delivery,
  type DeliveryStatus,
  type Send,
} from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { contextOf, type Deliverer, type JournalWith } from '../session/deliver.ts';
import { toTimestamp } from '../session/view.ts';
import type { JsonDriver } from './driver.ts';

/** Claude Code says that it has a prompt within 50 ms; where it has to be started first, within a second, or some on a loaded machine. */
const CONFIRM_MS = 20_000;

/** A deliverer whose prompts are confirmed by the events: a delivery's id is the `uuid` of its prompt. */
export interface JsonDeliverer extends Deliverer {
  /** Sends what was decided elsewhere, without waiting for the confirmation. @returns the delivery's id */
  invoke(text: string): Promise<string>;
  /** after a restart of the server: what became of the texts that were on their way then */
  settle(): void;
}

export function createJsonDeliverer(actor: SessionActor, driver: JsonDriver): JsonDeliverer {
  const { deliveries, clock, log } = actor.deps;
  const sessionId = (): string => actor.record.id;

  const stops = [
    driver.onEvent(confirm),
    driver.onEnd(() => settle()),
    actor.onChange(() => {
      if (deliveries.withStatus(sessionId(), 'queued').length > 0 && mayTypeHeld(contextOf(actor))) flush();
    }),
  ];

  function save(record: DeliveryRecord, status: DeliveryStatus): DeliveryRecord {
    const next = { ...record, status, updatedAt: clock.now() };
    deliveries.save(next);
    return next;
  }

  function view(record: DeliveryRecord): Delivery {
    const { id, text, status, removed, note } = record;
    const times = { created_at: toTimestamp(record.createdAt), updated_at: toTimestamp(record.updatedAt) };
    return { id, session: actor.slug, text, status, ...times, removed, note };
  }

  function find(id: string): DeliveryRecord {
    const record = deliveries.get(sessionId(), id);
    if (record === null) throw new CatalogueError('no_such_delivery', `${actor.slug} has no delivery ${id}`);
    return record;
  }

  /** Claude Code repeats a prompt that it takes, and newer versions say before that they have queued it. */
  function confirm(event: ClaudeEvent): void {
    const id = event.type === 'command_lifecycle' ? event.command_uuid : event.isReplay === true ? event.uuid : null;
    if (typeof id !== 'string') return;
    const record = deliveries.get(sessionId(), id);
    if (record !== null && (record.status === 'sent' || record.status === 'unknown')) save(record, 'delivered');
  }

  /** Without a process nothing more is taken: what was not confirmed by now never arrived. */
  function settle(): void {
    if (driver.isRunning()) return;
    for (const record of deliveries.withStatus(sessionId(), 'sent')) save(record, 'failed');
  }

  function earlier(request: Send): DeliveryRecord | null {
    if (request.idempotency_key === undefined) return null;
    const record = deliveries.byKey(sessionId(), request.idempotency_key);
    if (record !== null && record.text !== cleanText(request.text).text) {
      throw new CatalogueError('idempotency_conflict', `The key "${request.idempotency_key}" belongs to another text`);
    }
    return record;
  }

  /** Whether it is sent now or held. @throws CatalogueError where it must not be sent at all */
  function isHeld(request: Send): boolean {
    const { text } = cleanText(request.text);
    if (text.trim() === '') {
      throw new CatalogueError('invalid_request', 'The text is empty once control characters are taken out');
    }
    const { command = false, force = false, queue = false } = request;
    const decision = decideDelivery(contextOf(actor), { text, command, force, queue });
    if (decision.kind !== 'refuse') return decision.kind === 'hold';
    throw new CatalogueError(decision.code, decision.message, {
      ...(decision.hint === undefined ? {} : { hint: decision.hint.replaceAll('SLUG', actor.slug) }),
      ...(decision.question === null ? {} : { extra: { question: decision.question } }),
    });
  }

  function journal(request: Send, journalWith: JournalWith): DeliveryRecord {
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
      note: null,
    };
    journalWith(record.id, () => deliveries.save(record));
    return record;
  }

  /** Written down as sent before it is: a crash can never lead to a second sending. */
  async function hand(record: DeliveryRecord): Promise<void> {
    const sent = save(record, 'sent');
    try {
      requireBudget();
      await driver.prompt({ id: record.id, text: record.text });
    } catch (cause) {
      if (find(record.id).status === 'sent') save(sent, 'failed');
      throw cause;
    }
  }

  function requireBudget(): void {
    const { max_budget_usd: budget } = actor.record.launch;
    const { cost_usd: spent } = actor.view();
    if (budget === null || spent === null || spent < budget) return;
    throw new CatalogueError('budget_reached', `${actor.slug} has cost $${spent.toFixed(2)} of its $${budget}`);
  }

  async function send(record: DeliveryRecord): Promise<Delivery> {
    await hand(record);
    await actor.status.until(() => find(record.id).status !== 'sent', CONFIRM_MS);
    const { status } = find(record.id);
    if (status === 'failed') {
      const { error } = driver.evidence.turnEnd ?? {};
      throw new CatalogueError('launch_failed', error ?? 'Claude Code ended before it took the text');
    }
    if (status === 'sent') log.warn({ slug: actor.slug, delivery: record.id }, 'nothing says that a prompt was taken');
    return view(find(record.id));
  }

  function flush(): void {
    actor.mailbox
      .post(async () => {
        const next = deliveries.withStatus(sessionId(), 'queued')[0];
        if (next !== undefined && !actor.isDead() && mayTypeHeld(contextOf(actor))) await send(next);
      })
      .catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a held text could not be sent'));
  }

  return {
    send: (request, journalWith = (_, save) => save()) => {
      const known = earlier(request);
      if (known !== null) return Promise.resolve(view(known));
      if (isHeld(request)) {
        const held = view(journal(request, journalWith));
        if (mayTypeHeld(contextOf(actor))) flush();
        return Promise.resolve(held);
      }
      return actor.mailbox.post(async () => {
        const again = earlier(request);
        if (again !== null) return view(again);
        const hold = isHeld(request);
        const record = journal(request, journalWith);
        return hold ? view(record) : send(record);
      });
    },
    invoke: async (text) => {
      const record = journal({ text, command: true }, (_, save) => save());
      await hand(record);
      return record.id;
    },
    settle,
    list: () => deliveries.list(sessionId()).map(view),
    get: (id) => view(find(id)),
    change: (id, text) =>
      actor.mailbox.post(async () => {
        const record = held(find(id));
        const clean = cleanText(text);
        if (isCommand(clean.text) && !record.command) throw new CatalogueError('command_prefix');
        return view(save({ ...record, text: clean.text, removed: clean.removed }, 'queued'));
      }),
    cancel: (id) => actor.mailbox.post(async () => view(save(held(find(id)), 'cancelled'))),
    dispose: () => {
      for (const stop of stops) stop();
    },
  };
}

function held(record: DeliveryRecord): DeliveryRecord {
  if (record.status === 'queued') return record;
  throw new CatalogueError('delivery_final', `The delivery is ${record.status} already`);
}
