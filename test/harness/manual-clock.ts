import { Emitter } from '../../src/emitter/emitter.ts';
import type { Clock, ClockSetting } from '../../src/server/clock.ts';

/** A clock that stands still until it is advanced. */
export class ManualClock implements Clock {
  #elapsed = 0;
  #offset: number;
  #due: { at: number; work: () => void }[] = [];
  readonly #steps = new Emitter<[byMs: number]>();

  /** @param now Unix milliseconds */
  constructor(now = Date.UTC(2026, 10, 20)) {
    this.#offset = now;
  }

  now = (): number => this.#offset + this.#elapsed;

  elapsed = (): number => this.#elapsed;

  after(delayMs: number, work: () => void): () => void {
    const entry = { at: this.#elapsed + delayMs, work };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  onStep = this.#steps.on;

  /** the id of the machine's boot; a test that changes it reboots the machine */
  boot = 'manual';

  setting = (): ClockSetting => ({ boot: this.boot, offset_ms: this.#offset });

  /** Lets time pass. Everything that becomes due runs in order, at its time. */
  advance(byMs: number): void {
    const end = this.#elapsed + byMs;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((other) => other !== next);
      this.#elapsed = next.at;
      next.work();
    }
    this.#elapsed = end;
  }

  /** Sets the wall clock without letting time pass. */
  step(byMs: number): void {
    this.#offset += byMs;
    this.#steps.tell(byMs);
  }
}
