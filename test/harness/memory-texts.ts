import {
  CatalogueError,
  type Delivery,
  type NewStashedResponse,
  type Send,
  type Session,
  type StashedResponse,
} from '../../src/protocol/index.ts';
import { SINCE } from './some-session.ts';

/** Messages that are being sent to sessions in memory, and replies kept for later. */
export class MemoryTexts {
  readonly #deliveries = new Map<string, Delivery[]>();
  /** delivery ids by idempotency key */
  readonly #keys = new Map<string, string>();
  #stash: StashedResponse[] = [];

  /** newest first */
  of(slug: string): Delivery[] {
    return this.#deliveries.get(slug) ?? [];
  }

  send({ slug, status }: Session, request: Send): Delivery {
    if (status.question !== null) {
      throw new CatalogueError('not_accepting_text', undefined, { extra: { question: status.question } });
    }
    if (/^[!/]/.test(request.text) && request.command !== true) throw new CatalogueError('command_prefix');
    const known = this.of(slug);
    const key = request.idempotency_key === undefined ? null : `${slug} ${request.idempotency_key}`;
    const earlier = key === null ? undefined : this.#keys.get(key);
    if (earlier !== undefined) return this.get(slug, earlier);
    const delivery: Delivery = {
      id: `d${known.length + 1}`,
      session: slug,
      text: request.text,
      status: request.queue === true ? 'queued' : 'delivered',
      created_at: SINCE,
      updated_at: SINCE,
      removed: 0,
      note: null,
    };
    this.#deliveries.set(slug, [delivery, ...known]);
    if (key !== null) this.#keys.set(key, delivery.id);
    return delivery;
  }

  get(slug: string, id: string): Delivery {
    const delivery = this.of(slug).find((one) => one.id === id);
    if (delivery === undefined) throw new CatalogueError('no_such_delivery');
    return delivery;
  }

  /** @throws CatalogueError delivery_final for a delivery that is no longer held */
  change(slug: string, id: string, change: Partial<Delivery>): Delivery {
    const delivery = this.get(slug, id);
    if (delivery.status !== 'queued') throw new CatalogueError('delivery_final');
    const changed = { ...delivery, ...change };
    this.#deliveries.set(slug, [changed, ...this.of(slug).filter((one) => one.id !== id)]);
    return changed;
  }

  /** A person moves a prompt from the queue of Claude Code back into the box. */
  takeBack(slug: string, id: string): void {
    const changed: Delivery = { ...this.get(slug, id), status: 'sent', phase: 'taken_back' };
    this.#deliveries.set(slug, [changed, ...this.of(slug).filter((one) => one.id !== id)]);
  }

  stash(): StashedResponse[] {
    return this.#stash;
  }

  keep({ session_slug, response, question, when }: NewStashedResponse): StashedResponse {
    if (/^[!/]/.test(response)) throw new CatalogueError('command_prefix');
    const reply: StashedResponse = {
      id: `r${this.#stash.length + 1}`,
      session_slug,
      question: question ?? null,
      response,
      when: when ?? 'manual',
      created_at: SINCE,
      applied: false,
      applied_at: null,
      delivery_id: null,
    };
    this.#stash.push(reply);
    return reply;
  }

  kept(id: string): StashedResponse {
    const reply = this.#stash.find((one) => one.id === id);
    if (reply === undefined) throw new CatalogueError('no_such_stash');
    return reply;
  }

  apply(id: string, session: Session): StashedResponse {
    const kept = this.kept(id);
    if (kept.applied) throw new CatalogueError('already_applied');
    const delivery = this.send(session, { text: kept.response });
    const applied = { ...kept, applied: true, applied_at: SINCE, delivery_id: delivery.id };
    this.#stash = this.#stash.map((reply) => (reply.id === id ? applied : reply));
    return applied;
  }

  drop(id: string): StashedResponse {
    const kept = this.kept(id);
    this.#stash = this.#stash.filter((reply) => reply.id !== id);
    return kept;
  }

  /** Removes the messages for a session that was deleted. */
  forget(slug: string): void {
    this.#deliveries.delete(slug);
    this.#stash = this.#stash.filter((reply) => reply.session_slug !== slug);
  }
}
