import { type DeliveryContext, mayTypeHeld } from '../../core/delivery/decide.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import { CatalogueError, type ClaudeEvent, type Delivery, type Send } from '../../protocol/index.ts';
import { contextOf, type Deliverer } from '../screen/deliver.ts';
import type { SessionActor } from '../session/actor.ts';
import { openDeliveryJournal } from '../session/delivery-journal.ts';
import { forgetOldStop, isQueueStopped } from '../session/queue-stop.ts';
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
  const { deliveries, log } = actor.deps;
  const journal = openDeliveryJournal(actor);
  const { decide, earlier, save, commit, find, view, withStatus } = journal;

  const stops = [
    driver.onEvent(confirm),
    driver.onEnd(() => settle()),
    actor.onChange(() => {
      if (withStatus('queued').length > 0 && !isQueueStopped(actor) && mayTypeHeld(contextOf(actor))) flush();
    }),
  ];

  /** Claude Code repeats a prompt that it takes, and newer versions say before that they have queued it. */
  function confirm(event: ClaudeEvent): void {
    const id = event.type === 'command_lifecycle' ? event.command_uuid : event.isReplay === true ? event.uuid : null;
    if (typeof id !== 'string') return;
    const record = deliveries.get(actor.record.id, id);
    if (record !== null && (record.status === 'sent' || record.status === 'unknown')) save(record, 'delivered');
  }

  /** Without a process nothing more is taken: what was not confirmed by now never arrived. */
  function settle(): void {
    if (driver.isRunning()) return;
    for (const record of withStatus('sent')) save(record, 'failed');
  }

  const isHeld = (request: Send): boolean => decide(request, contextFor(request)).kind === 'hold';

  /** Whether the folder is trusted is asked before Claude Code runs: a text for the queue waits for that answer as for the start. */
  function contextFor(request: Send): DeliveryContext {
    const context = contextOf(actor);
    if (request.queue !== true || driver.evidence.trust === null) return context;
    return { ...context, status: { primary: null, detail: null, question: null } };
  }

  /** Written down as sent before it is: a crash can never lead to a second sending. */
  async function hand(record: DeliveryRecord): Promise<void> {
    const sent = commit(record, 'sent');
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
        await driver.settleTrust();
        const next = isQueueStopped(actor) ? undefined : withStatus('queued')[0];
        if (next !== undefined && !actor.isDead() && mayTypeHeld(contextOf(actor))) await send(next);
      })
      .catch((cause: unknown) => log.error({ slug: actor.slug, err: cause }, 'a held text could not be sent'));
  }

  return {
    send: (request, journalWith = (_, save) => save()) => {
      const known = earlier(request);
      if (known !== null) return Promise.resolve(view(known));
      forgetOldStop(actor);
      if (isHeld(request)) {
        const held = view(journal.begin(request, { held: true, journalWith }));
        if (mayTypeHeld(contextOf(actor))) flush();
        return Promise.resolve(held);
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
      const record = journal.begin({ text, command: true }, { held: false, journalWith: (_, save) => save() });
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
