import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ActorDeps } from './actor-deps.ts';

/** A session's record: what it says now, and that it is written down. */
export class KeptRecord {
  readonly #deps: Pick<ActorDeps, 'writes' | 'sessions' | 'search'>;
  #current: SessionRecord;
  #isGone = false;

  constructor(deps: Pick<ActorDeps, 'writes' | 'sessions' | 'search'>, record: SessionRecord) {
    this.#deps = deps;
    this.#current = record;
    this.#followInSearch(record);
  }

  get current(): SessionRecord {
    return this.#current;
  }

  /** Remembers a change, which is written down now or when there is room for it. */
  save(change: Partial<SessionRecord>): void {
    this.hold(change);
    const record = this.#current;
    this.write(() => this.#deps.sessions.save(record));
    this.#followInSearch(change);
  }

  /**
   * The same for what must be written down before it is so. @throws while the home cannot be written; nothing has
   * changed then
   */
  commit(change: Partial<SessionRecord>): void {
    this.#deps.writes.demand(() => this.#deps.sessions.save({ ...this.#current, ...change }));
    this.hold(change);
    this.#followInSearch(change);
  }

  /** Remembers a change in memory alone: the next one that is written down takes it along. */
  hold(change: Partial<SessionRecord>): void {
    this.#current = { ...this.#current, ...change };
  }

  /**
   * Notes something else of the session, now or when there is room for it; nothing of one that was removed meanwhile.
   */
  write(work: () => void): void {
    this.#deps.writes.write(() => {
      if (!this.#isGone) work();
    });
  }

  dispose(): void {
    this.#isGone = true;
  }

  #followInSearch({ recording }: Partial<SessionRecord>): void {
    if (recording != null) this.#deps.search.follow(this.#current.id, recording);
  }
}
