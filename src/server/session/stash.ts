import { v4 as uuid } from 'uuid';
import { contextOf, isCommand, mayTypeHeld } from '../../core/delivery/decide.ts';
import { cleanText } from '../../core/delivery/paste.ts';
import type { StashRecord } from '../../platform/sqlite/stash-store.ts';
import { CatalogueError, type NewStashedResponse, type StashedResponse } from '../../protocol/index.ts';
import type { SessionActor } from './actor.ts';
import type { Deliverer, JournalWith } from './delivery-journal.ts';
import { forgetOldStop, isQueueStopped } from './queue-stop.ts';
import { seeDelivery } from './see-delivery.ts';
import { toTimestamp } from './view.ts';

/**
 * The replies that are kept for one session. A reply that has been applied remains listed, with its delivery, until
 * somebody removes it.
 */
export interface SessionStash {
  /** @throws CatalogueError command_prefix, invalid_request */
  add(request: Omit<NewStashedResponse, 'session_slug'>): StashedResponse;
  /** Returns the replies in the order in which they were stored. */
  list(): StashedResponse[];
  /**
   * Sends a reply immediately, in the same way as `send`.
   * @throws CatalogueError no_such_stash, already_applied, and everything that `send` throws; a refused reply is kept
   */
  apply(id: string): Promise<StashedResponse>;
  /** @throws CatalogueError no_such_stash */
  remove(id: string): StashedResponse;
  dispose(): void;
}

export function createSessionStash(actor: SessionActor, deliverer: Deliverer): SessionStash {
  const { stash, deliveries, writes, clock, log } = actor.deps;
  const sessionId = (): string => actor.record.id;
  let isApplying = false;
  const stopChanges = actor.onChange(() => considerNext());

  const view = (record: StashRecord): StashedResponse => toStashed(record, actor.slug);

  function find(id: string): StashRecord {
    const record = stash.get(sessionId(), id);
    if (record === null) throw noSuchStash(id);
    return record;
  }

  /**
   * Saves the delivery and marks the reply as applied in one transaction, before the first keypress. Therefore a reply
   * is applied at most once, even if the server crashes.
   */
  function markWith(id: string): JournalWith {
    return (deliveryId, save) => {
      if (writes.demand(() => stash.apply({ id, appliedAt: clock.now(), deliveryId }, save))) return;
      throw stash.get(sessionId(), id) === null ? noSuchStash(id) : alreadyApplied(id);
    };
  }

  /** Returns the reply that must be sent next; null if none is due. */
  function nextDue(): StashRecord | null {
    if (isQueueStopped(actor)) return null;
    // A draft in the prompt need not be considered here, because the delivery is held until the draft is gone.
    if (!actor.isListed() || !mayTypeHeld({ ...contextOf(seeDelivery(actor)), draft: null })) return null;
    const all = stash.list(sessionId());
    // Only one reply is sent per turn. Until the session is waiting again, Claude Code may not even have taken the
    // previous reply.
    const lastApplied = Math.max(0, ...all.map((record) => record.appliedAt ?? 0));
    if (lastApplied > 0 && actor.status.memory().since <= lastApplied) return null;
    if (deliveries.withStatus(sessionId(), 'queued').length > 0) return null;
    return all.find((record) => record.when === 'next_waiting' && record.appliedAt === null) ?? null;
  }

  function considerNext(): void {
    const next = isApplying ? null : nextDue();
    if (next !== null) void sendNext(next);
  }

  async function sendNext(next: StashRecord): Promise<void> {
    isApplying = true;
    try {
      await deliverer.send({ text: next.response, queue: true }, markWith(next.id));
    } catch (cause) {
      // If the reply was refused, for example because a dialog has opened in the meantime, CBOS keeps it and tries
      // again when the status next changes.
      const of = { slug: actor.slug, stash: next.id };
      if (cause instanceof CatalogueError) log.info({ ...of, code: cause.code }, 'a draft was saved');
      else log.error({ ...of, err: cause }, 'a draft could not be sent');
      return;
    } finally {
      isApplying = false;
    }
    // The turn may already have ended while CBOS was still waiting for the confirmation of its start.
    considerNext();
  }

  return {
    add: ({ response, question, when }) => {
      const record: StashRecord = {
        ...{ id: uuid(), sessionId: sessionId(), createdAt: clock.now(), appliedAt: null, deliveryId: null },
        response: cleanReply(response),
        question: question ?? actor.status.memory().question?.text ?? null,
        when: when ?? 'manual',
      };
      forgetOldStop(actor);
      writes.demand(() => stash.add(record));
      const answer = view(record);
      considerNext();
      return answer;
    },
    list: () => stash.list(sessionId()).map(view),
    apply: async (id) => {
      const { response, appliedAt } = find(id);
      if (appliedAt !== null) throw alreadyApplied(id);
      await deliverer.send({ text: response }, markWith(id));
      return view(find(id));
    },
    remove: (id) => {
      const record = find(id);
      stash.remove(id);
      return view(record);
    },
    dispose: stopChanges,
  };
}

function toStashed(record: StashRecord, slug: string): StashedResponse {
  const { id, question, response, when, createdAt, appliedAt, deliveryId } = record;
  return {
    ...{ id, session_slug: slug, question, response, when, created_at: toTimestamp(createdAt) },
    applied: appliedAt !== null,
    applied_at: appliedAt === null ? null : toTimestamp(appliedAt),
    delivery_id: deliveryId,
  };
}

/** @throws CatalogueError command_prefix, invalid_request */
function cleanReply(response: string): string {
  const { text } = cleanText(response);
  if (text.trim() === '') throw new CatalogueError('invalid_request', 'The reply contains only control characters');
  if (isCommand(text)) throw new CatalogueError('command_prefix', undefined, { hint: 'A draft cannot be a command' });
  return text;
}

export function noSuchStash(id: string): CatalogueError {
  return new CatalogueError('no_such_stash', `No draft has the id ${JSON.stringify(id.slice(0, 80))}`);
}

function alreadyApplied(id: string): CatalogueError {
  return new CatalogueError('already_applied', `The draft ${id} has already been sent`);
}
