import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  timeoutMs: number;
  /** pause between two looks; 10 ms when left out */
  everyMs?: number;
}

/** Short enough that nobody notices it, long enough that a wait of seconds costs little. */
const LOOK_EVERY_MS = 10;

/**
 * Looks again and again until `probe` says something other than null, for what the kernel offers no event for (the end
 * of a process that is not our child, a mode bit). Only for waits that somebody is in the middle of, never in the
 * background.
 * @returns what the probe said, or null when the time was over
 */
export async function waitUntil<T>(probe: () => Promise<T | null>, options: WaitOptions): Promise<T | null> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const seen = await probe();
    if (seen !== null || performance.now() >= deadline) return seen;
    await delay(options.everyMs ?? LOOK_EVERY_MS);
  }
}
