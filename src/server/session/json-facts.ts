import { CONVERSATION_TYPES, conversationLines } from '../../core/status/index.ts';
import type { EventStore } from '../../platform/sqlite/event-store.ts';
import type { ClaudeEvent } from '../../protocol/index.ts';

/** How many lines of the conversation are kept in memory, to be shown in lists. */
const KEPT_LINES = 20;
/** How many of the latest events are read to get these lines. This many are certain to contain enough lines. */
const READ_EVENTS = 20;

/** What a list shows about a JSON session besides its status: its cost, and the end of its conversation as text. */
export class JsonFacts {
  readonly #store: EventStore;
  readonly #sessionId: string;
  #costUsd: number | null = null;
  #lines: string[] | null = null;

  constructor(store: EventStore, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** Returns the total cost of the session's turns. */
  costUsd(): number {
    this.#costUsd ??= this.#store.days(this.#sessionId).reduce((sum, day) => sum + day.cost_usd, 0);
    return this.#costUsd;
  }

  lines(): readonly string[] {
    this.#lines ??= this.#store
      .newest(this.#sessionId, CONVERSATION_TYPES, READ_EVENTS)
      .flatMap(({ event }) => conversationLines(event))
      .slice(-KEPT_LINES);
    return this.#lines;
  }

  /** Takes into account events that have just been saved. */
  add(events: readonly ClaudeEvent[], costUsd: number): void {
    if (this.#costUsd !== null) this.#costUsd += costUsd;
    const lines = events.flatMap(conversationLines);
    if (this.#lines !== null && lines.length > 0) this.#lines = [...this.#lines, ...lines].slice(-KEPT_LINES);
  }
}
