type Listener<Told extends unknown[]> = (...told: Told) => void;

/** Called as a listener comes; what it returns is called as that listener goes. */
type Tracker = () => () => void;

let track: Tracker | null = null;

/**
 * Has every listener of this process told of, as it comes and as it goes: so the suites find those that are left
 * behind.
 */
export function trackListeners(tracker: Tracker): void {
  track = tracker;
}

/**
 * Who listens to one thing. The owner of the thing keeps its emitter to itself and hands out `on`: others can listen,
 * and only the owner can tell or let go of all.
 */
export class Emitter<Told extends unknown[] = []> {
  readonly #listening = new Map<symbol, { listener: Listener<Told>; untrack: (() => void) | undefined }>();
  readonly #onFault: ((cause: unknown, ...told: Told) => void) | null;

  /**
   * @param onFault given what a listener throws, and the others are told all the same; without it a fault goes to who
   * tells
   */
  constructor(onFault: ((cause: unknown, ...told: Told) => void) | null = null) {
    this.#onFault = onFault;
  }

  /** Listens until the returned function is called; no call comes after it. */
  readonly on = (listener: Listener<Told>): (() => void) => {
    const key = Symbol();
    this.#listening.set(key, { listener, untrack: track?.() });
    return () => this.#remove(key);
  };

  get size(): number {
    return this.#listening.size;
  }

  /**
   * Listeners may come and go meanwhile: one that has gone is told no more, one that has come is told the next time.
   */
  tell(...told: Told): void {
    for (const key of [...this.#listening.keys()]) {
      try {
        this.#listening.get(key)?.listener(...told);
      } catch (cause) {
        if (this.#onFault === null) throw cause;
        this.#onFault(cause, ...told);
      }
    }
  }

  /** Lets go of all listeners: what they listened to has ended. */
  clear(): void {
    for (const key of [...this.#listening.keys()]) this.#remove(key);
  }

  #remove(key: symbol): void {
    this.#listening.get(key)?.untrack?.();
    this.#listening.delete(key);
  }
}
