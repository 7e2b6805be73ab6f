type Listener<Told extends unknown[]> = (...told: Told) => void;

/** Called when a listener is added. The returned function is called when that listener is removed. */
type Tracker = () => () => void;

let track: Tracker | null = null;

/**
 * Calls the tracker for every listener of this process that is added or removed. The test suites use this to find
 * listeners that are left behind.
 */
export function trackListeners(tracker: Tracker): void {
  track = tracker;
}

/**
 * The listeners of one event source. The owner keeps the emitter private and gives out `on`. Others can then listen,
 * but only the owner can notify or remove all listeners.
 */
export class Emitter<Told extends unknown[] = []> {
  readonly #listening = new Map<symbol, { listener: Listener<Told>; untrack: (() => void) | undefined }>();
  readonly #onFault: ((cause: unknown, ...told: Told) => void) | null;

  /**
   * @param onFault receives the errors that listeners throw, and the other listeners are still notified; without it,
   *   the caller of `tell` gets the error
   */
  constructor(onFault: ((cause: unknown, ...told: Told) => void) | null = null) {
    this.#onFault = onFault;
  }

  /** Listens until the returned function is called; the listener is not called after that. */
  readonly on = (listener: Listener<Told>): (() => void) => {
    const key = Symbol();
    this.#listening.set(key, { listener, untrack: track?.() });
    return () => this.#remove(key);
  };

  get size(): number {
    return this.#listening.size;
  }

  /**
   * Notifies all listeners. Listeners may be added and removed during the call. A removed listener is not notified
   * any more, and a new one is notified the next time.
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

  /** Removes all listeners, because their event source has ended. */
  clear(): void {
    for (const key of [...this.#listening.keys()]) this.#remove(key);
  }

  #remove(key: symbol): void {
    this.#listening.get(key)?.untrack?.();
    this.#listening.delete(key);
  }
}
