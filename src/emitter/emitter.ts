type Listener<Told extends unknown[]> = (...told: Told) => void;

/**
 * A function that is called whenever a listener is added. The function that it returns is called when that listener is
 * removed.
 */
type Tracker = () => () => void;

let track: Tracker | null = null;

/**
 * Sets a tracker that is called for every listener in this process. The test suites use it to find listeners that are
 * never removed.
 */
export function trackListeners(tracker: Tracker): void {
  track = tracker;
}

/**
 * The listeners of one event source. The owner keeps the emitter private and exposes only `on`. Others can then listen,
 * but only the owner can notify the listeners or remove them all.
 */
export class Emitter<Told extends unknown[] = []> {
  readonly #listening = new Map<symbol, { listener: Listener<Told>; untrack: (() => void) | undefined }>();
  readonly #onFault: ((cause: unknown, ...told: Told) => void) | null;

  /**
   * @param onFault receives the errors that listeners throw, so that the remaining listeners are still notified; if
   * omitted, the error is thrown to the caller of `tell`
   */
  constructor(onFault: ((cause: unknown, ...told: Told) => void) | null = null) {
    this.#onFault = onFault;
  }

  /** Adds a listener, and returns a function that removes it. After that, the listener is no longer called. */
  readonly on = (listener: Listener<Told>): (() => void) => {
    const key = Symbol();
    this.#listening.set(key, { listener, untrack: track?.() });
    return () => this.#remove(key);
  };

  get size(): number {
    return this.#listening.size;
  }

  /**
   * Notifies all listeners. Listeners may be added and removed during the call: a removed listener is no longer
   * notified, and a new listener is first notified by the next call.
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

  /** Removes all listeners. Call this when the event source has ended. */
  clear(): void {
    for (const key of [...this.#listening.keys()]) this.#remove(key);
  }

  #remove(key: symbol): void {
    this.#listening.get(key)?.untrack?.();
    this.#listening.delete(key);
  }
}
