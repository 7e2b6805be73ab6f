import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ActorDeps } from './actor-deps.ts';

/** A session's record. The current state is held in memory, and changes are saved. */
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

  /** Changes the record. The change is saved immediately, or as soon as the disk has room. */
  save(change: Partial<SessionRecord>): void {
    this.hold(change);
    const record = this.#current;
    this.write(() => this.#deps.sessions.save(record));
    this.#followInSearch(change);
  }

  /**
   * Saves the change first, and only then changes the record.
   * @throws while the home is not writable, in which case nothing changes
   */
  commit(change: Partial<SessionRecord>): void {
    this.#deps.writes.demand(() => this.#deps.sessions.save({ ...this.#current, ...change }));
    this.hold(change);
    this.#followInSearch(change);
  }

  /** Changes the record only in memory; the next saved change includes it. */
  hold(change: Partial<SessionRecord>): void {
    this.#current = { ...this.#current, ...change };
  }

  /**
   * Saves something else that belongs to the session, either immediately or as soon as the disk has room. If the
   * session has been removed by then, nothing is saved.
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
