import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { Dispose } from './sessions.ts';

/** How often to check whether the server has become idle. */
const LOOK_MS = 5_000;
/**
 * A server counts as idle while all its threads together use less than this share of a core. Returning memory then
 * delays nobody, and no thread is in the middle of work whose memory it will free a moment later.
 */
const IDLE_SHARE = 0.1;
/**
 * The least growth, in bytes, that makes returning memory worthwhile, because returning memory blocks the server for 50
 * ms.
 */
const LEAST_GROWTH_BYTES = 16 * 2 ** 20;

export interface ReturnMemoryOptions {
  clock: Clock;
  /** returns the processor time that the process has used so far, in milliseconds */
  processorMs: () => number;
  /** returns the resident memory of the process, in bytes */
  residentBytes: () => number;
  /** gives unused memory back to the kernel */
  returnMemory: () => Promise<unknown>;
  log: Pick<Logger, 'debug'>;
}

/**
 * Returns memory to the kernel whenever the server is idle and has grown. Without this, a server held on to 60 to 100
 * MB of unused memory after a minute of floods.
 */
export function returnMemoryWhenIdle(options: ReturnMemoryOptions): Dispose {
  const { clock, processorMs, residentBytes, returnMemory, log } = options;
  let seenMs = processorMs();
  /** the resident memory just after unused memory was last returned */
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
