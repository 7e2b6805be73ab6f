export interface WaitOptions {
  /** the awaited condition, as stated in the failure message: "the session is listed" */
  describe: string;
  /** 30 s if omitted, because a loaded machine with two cores is slow; a correct test never waits that long */
  timeoutMs?: number;
  /** true if the condition may hold for only a few milliseconds; the interval between two checks then stays short */
  isBrief?: boolean;
  /** the actual state, or a promise of it, for the failure message */
  actual?: () => unknown;
}

/**
 * Reports whether the error is a mistake in the test. Nothing that happens in the world causes such errors. A
 * `TypeError` with a cause is different: `fetch` throws it if no server is listening yet.
 */
function isProgrammingError(error: unknown): boolean {
  return error instanceof ReferenceError || (error instanceof TypeError && error.cause === undefined);
}

const DEFAULT_TIMEOUT_MS = 30_000;
/**
 * A condition that has failed for a while is checked less often. Each request to a server costs 3 ms of processor time.
 * Otherwise a test that waits for a turn would take half of a processor away from that turn. A wait becomes at most a
 * tenth longer.
 */
const SHORTEST_INTERVAL_MS = 5;
const LONGEST_INTERVAL_MS = 50;

/**
 * The actual state. If it cannot be read either, this is the reason, because the failure of the wait must not be lost.
 */
async function actualState(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return `nothing that could be read (${String(error)})`;
  }
}

/**
 * Waits until a condition holds, which means that it returns (or resolves to) something other than false, null, or
 * undefined. That value is the result. Errors that the condition throws count as "not yet"; the last one becomes the
 * cause of the failure. A programming error in the condition ends the wait immediately.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const longestMs = options.isBrief === true ? SHORTEST_INTERVAL_MS : LONGEST_INTERVAL_MS;
  const beganAt = performance.now();
  const deadline = beganAt + timeoutMs;
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
    const now = performance.now();
    if (now > deadline) break;
    const intervalMs = Math.min(longestMs, Math.max(SHORTEST_INTERVAL_MS, (now - beganAt) / 10));
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  const instead = options.actual === undefined ? lastValue : await actualState(options.actual);
  const shown = typeof instead === 'string' ? instead : JSON.stringify(instead, null, 2);
  throw new Error(`timed out after ${timeoutMs} ms, waiting until ${options.describe}; there is: ${shown}`, {
    cause: lastError,
  });
}
