import { NatsRefusedError } from '../../platform/nats/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { createWaiters } from './waiters.ts';

/** The pause before the first retry. After each failed attempt, the pause doubles until it reaches `LAST_RETRY_MS`. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/**
 * The longest pause if the NATS server does not know this machine, because the machine was removed or the founder has
 * restored a backup.
 */
const LAST_REFUSED_MS = 30_000;

const REMOVED = 'this machine is no longer in the fleet; run cbos fleet leave, then join with a new invitation';

export interface KeptConnection {
  /** returns a sentence that says why there is no connection; null if no fault is known */
  fault(): string | null;
  /** Stops all attempts to connect. The caller closes the connection itself. */
  close(): Promise<void>;
}

/**
 * Reconnects whenever the connection has been closed.
 * @param connect opens a connection, calls `onUp` once it is open, and resolves when it has been closed
 */
export function keepConnected(options: {
  connect(onUp: () => void): Promise<void>;
  /** whether this machine is the founder; the founder cannot be removed, so a refusal is only temporary */
  isFounder: boolean;
  clock: Clock;
  logger: Logger;
}): KeptConnection {
  const { connect, clock, logger } = options;
  let fault: string | null = null;
  let isClosed = false;
  const waiters = createWaiters(clock);

  async function run(): Promise<void> {
    let pauseMs = FIRST_RETRY_MS;
    while (!isClosed) {
      let lastMs = LAST_RETRY_MS;
      try {
        await connect(() => {
          fault = null;
          pauseMs = FIRST_RETRY_MS;
        });
        fault = 'the connection to the NATS server was lost';
      } catch (cause) {
        const isRefused = cause instanceof NatsRefusedError && !options.isFounder;
        if (isRefused) lastMs = LAST_REFUSED_MS;
        const words = isRefused ? REMOVED : cause instanceof Error ? cause.message : String(cause);
        if (fault !== words) logger.warn({ fault: words }, 'the fleet cannot be reached');
        fault = words;
      }
      if (isClosed) return;
      await waiters.wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, lastMs);
    }
  }

  const running = run();
  return {
    fault: () => fault,
    close: async () => {
      isClosed = true;
      waiters.wake();
      await running;
    },
  };
}
