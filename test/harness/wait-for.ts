export interface WaitOptions {
  /** the awaited condition, as stated in the failure message: "the session is listed" */
  describe: string;
  /** 30 s if omitted, because a loaded machine with two cores is slow, and a correct test never waits that long */
  timeoutMs?: number;
  /** the actual state, for the failure message */
  actual?: () => unknown;
}

/**
 * No state of the world causes these errors. A `TypeError` with a cause is how `fetch` reports that nobody listens
 * yet.
 */
function isProgrammingError(error: unknown): boolean {
  return error instanceof ReferenceError || (error instanceof TypeError && error.cause === undefined);
}

const DEFAULT_TIMEOUT_MS = 30_000;
const INTERVAL_MS = 5;

/**
 * Waits until a condition holds: until it returns (or resolves to) something other than false, null, or undefined,
 * which is then the result. Errors of the condition count as "not yet"; the last one becomes the cause of the
 * failure. A programming error in the condition ends the wait at once.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  let lastValue: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined) {
        return value as Exclude<T, false | null | undefined>;
      }
      lastValue = value;
      lastError = undefined;
    } catch (error) {
      if (isProgrammingError(error)) throw error;
      lastError = error;
    }
    if (performance.now() > deadline) break;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
  const instead = options.actual === undefined ? lastValue : options.actual();
  const shown = typeof instead === 'string' ? instead : JSON.stringify(instead, null, 2);
  throw new Error(`waited ${timeoutMs} ms in vain until ${options.describe}; there is: ${shown}`, { cause: lastError });
}
