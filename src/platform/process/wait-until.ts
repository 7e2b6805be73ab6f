import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  timeoutMs: number;
  /** pause between two calls of the probe; 10 ms by default */
  everyMs?: number;
}

/**
 * The default pause. This is short enough that no one notices it, and long enough that a wait of several seconds costs
 * little.
 */
const LOOK_EVERY_MS = 10;

/**
 * Calls `probe` repeatedly until it returns something other than null. Use this for conditions that the kernel reports
 * by no event (the end of a process that is not our child, a mode bit). Use it only for waits that a caller is blocked
 * on, never in the background.
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
