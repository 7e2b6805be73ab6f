import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  timeoutMs: number;
  /** the pause between two calls of the probe; default: 10 ms */
  everyMs?: number;
}

/**
 * The default pause. It is short enough that no one notices it, and long enough that waiting for several seconds costs
 * little.
 */
const LOOK_EVERY_MS = 10;

/**
 * Calls `probe` repeatedly until it returns something other than null. Use this function for conditions that the kernel
 * does not report through an event (the end of a process that is not our child, a mode bit). Use it only for waits that
 * block a caller, never in the background.
 * @returns the result of `probe`, or null on a timeout
 */
export async function waitUntil<T>(probe: () => Promise<T | null>, options: WaitOptions): Promise<T | null> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const seen = await probe();
    if (seen !== null || performance.now() >= deadline) return seen;
    await delay(options.everyMs ?? LOOK_EVERY_MS);
  }
}
