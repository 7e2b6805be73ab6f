import { CatalogueError, type StoredEvent } from '../../protocol/index.ts';
import type { ClientSocket } from './client-socket.ts';
import type { FarEvents } from './other-machines.ts';

/**
 * One client that follows the events of a JSON session on another machine. As in `EventSubscription`, no events are
 * kept: for a client that is behind, they are read from the session's machine.
 */
export class FarEventSubscription {
  readonly #source: FarEvents;
  readonly #socket: ClientSocket;
  readonly #slug: string;
  readonly #onFailed: (error: unknown) => void;
  /** the number of the last event that was sent */
  #sent: number;
  #isBehind: boolean;
  /** the number of the newest event that has come */
  #newest = 0;
  #isReading = false;
  #isOver = false;

  /** @param options.after the last event that the client already has; undefined to get only events from now on */
  constructor(options: {
    source: FarEvents;
    socket: ClientSocket;
    slug: string;
    after: number | undefined;
    onFailed(error: unknown): void;
  }) {
    this.#source = options.source;
    this.#socket = options.socket;
    this.#slug = options.slug;
    this.#onFailed = options.onFailed;
    this.#sent = options.after ?? 0;
    this.#isBehind = options.after !== undefined;
    this.resume();
  }

  isTaking(): boolean {
    return !this.#socket.isFull();
  }

  /** Accepts new events, in order. */
  take(events: readonly StoredEvent[]): void {
    this.#newest = events.at(-1)?.seq ?? this.#newest;
    for (const stored of events) {
      if (this.#socket.isFull()) this.#isBehind = true;
      if (this.#isBehind) return;
      this.#send(stored);
    }
  }

  /** Sends what is missing after the connection has drained. */
  resume(): void {
    if (!this.#isBehind || this.#isReading || this.#isOver) return;
    this.#isReading = true;
    this.#catchUp()
      .catch((error: unknown) => {
        if (!this.#isOver && !(error instanceof CatalogueError && error.code === 'no_such_session')) {
          this.#onFailed(error);
        }
      })
      .finally(() => {
        this.#isReading = false;
      });
  }

  dispose(): void {
    this.#isOver = true;
  }

  async #catchUp(): Promise<void> {
    while (this.#isBehind && !this.#socket.isFull() && !this.#isOver) {
      const { events, next } = await this.#source.read(this.#sent);
      for (const stored of events) this.#send(stored);
      // Newer events may have come while the last page was read.
      if (next === null && this.#newest <= this.#sent) this.#isBehind = false;
    }
  }

  #send({ seq, timestamp, event }: StoredEvent): void {
    if (seq <= this.#sent || this.#isOver) return;
    this.#sent = seq;
    this.#socket.send({ type: 'claude_event', session: this.#slug, event, timestamp, seq });
  }
}
