import type { Clock } from '../../src/server/clock.ts';

/** A clock that stands still until it is advanced. */
export class ManualClock implements Clock {
  #now: number;
  #due: { at: number; work: () => void }[] = [];

  /** @param now Unix milliseconds */
  constructor(now = Date.UTC(2026, 10, 20)) {
    this.#now = now;
  }

  now = (): number => this.#now;

  after(delayMs: number, work: () => void): () => void {
    const entry = { at: this.#now + delayMs, work };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  /** Lets time pass; what becomes due meanwhile runs in order, at its time. */
  advance(byMs: number): void {
    const end = this.#now + byMs;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((other) => other !== next);
      this.#now = next.at;
      next.work();
    }
    this.#now = end;
  }
}
