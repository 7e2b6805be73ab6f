import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { Dispose } from './sessions.ts';

/** How often to check whether the server has become idle. */
const LOOK_MS = 5_000;
/**
 * A server that uses less than this share of a core, with all its threads, is idle: returning memory delays nobody, and
 * no thread still uses what it will free a moment later.
 */
const IDLE_SHARE = 0.1;
/** Memory that has grown by less than this is not worth the 50 ms for which returning it blocks the server. */
const LEAST_GROWTH_BYTES = 16 * 2 ** 20;

export interface ReturnMemoryOptions {
  clock: Clock;
  /** the processor time that the process has used so far, in milliseconds */
  processorMs: () => number;
  /** the resident memory of the process */
  residentBytes: () => number;
  /** returns unused memory to the kernel */
  returnMemory: () => Promise<unknown>;
  log: Pick<Logger, 'debug'>;
}

/**
 * Returns memory to the kernel whenever the server is idle and has grown. Without this, a server kept 60 to 100 MB
 * after a minute of floods, although nothing in it used them.
 */
export function returnMemoryWhenIdle(options: ReturnMemoryOptions): Dispose {
  const { clock, processorMs, residentBytes, returnMemory, log } = options;
  let seenMs = processorMs();
  /** the memory after it was last returned */
  let leastBytes = residentBytes();
  let isDisposed = false;
  let stopTimer: Dispose | null = null;

  async function look(): Promise<void> {
    const isIdle = processorMs() - seenMs < LOOK_MS * IDLE_SHARE;
    if (isIdle && residentBytes() - leastBytes >= LEAST_GROWTH_BYTES) {
      await returnMemory().catch((cause: unknown) => log.debug({ err: cause }, 'unused memory could not be returned'));
      leastBytes = residentBytes();
    }
    seenMs = processorMs();
    if (!isDisposed) again();
  }
  function again(): void {
    stopTimer = clock.after(LOOK_MS, () => void look());
  }
  again();
  return () => {
    isDisposed = true;
    stopTimer?.();
  };
}
