import type { StoredEvent } from '../../protocol/index.ts';
import type { Sessions } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';

/** How many events are read from the store at once for a client that is behind. */
const PAGE = 200;

/**
 * One client that follows the events of one JSON session. The subscription itself holds no events. A client that is too
 * slow, or that reconnects with the number of the last event it has received, gets the later events from the store.
 */
export class EventSubscription {
  readonly #sessions: Pick<Sessions, 'events'>;
  readonly #socket: ClientSocket;
  #slug: string;
  /** the number of the last event that was sent */
  #sent: number;
  #isBehind: boolean;

  /**
   * @param options.after the number of the last event that the client already has; undefined to get only events from
   * now on
   */
  constructor(options: {
    sessions: Pick<Sessions, 'events'>;
    socket: ClientSocket;
    slug: string;
    after: number | undefined;
  }) {
    this.#sessions = options.sessions;
    this.#socket = options.socket;
    this.#slug = options.slug;
    this.#sent = options.after ?? 0;
    this.#isBehind = options.after !== undefined;
    this.resume();
  }

  renamed(slug: string): void {
    this.#slug = slug;
  }

  /** Accepts new events, in order. */
  take(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      if (this.#socket.isFull()) this.#isBehind = true;
      if (this.#isBehind) return;
      this.#send(stored);
    }
  }

  /** Sends what is missing after the connection has drained. */
  resume(): void {
    while (this.#isBehind && !this.#socket.isFull()) {
      const { events, next } = this.#sessions.events(this.#slug, { after: this.#sent, limit: PAGE });
      for (const stored of events) this.#send(stored);
      if (next === null) this.#isBehind = false;
    }
  }

  #send({ seq, timestamp, event }: StoredEvent): void {
    if (seq <= this.#sent) return;
    this.#sent = seq;
    this.#socket.send({ type: 'claude_event', session: this.#slug, event, timestamp, seq });
  }
}
