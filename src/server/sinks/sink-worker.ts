import type { Attempt, SinkMessage } from '../../platform/sinks/index.ts';
import type { OutboxMessage } from '../../platform/sqlite/outbox-store.ts';
import type { Dispose } from '../sessions.ts';
import { createMessageSteps, type MessageOptions } from './message-steps.ts';

export interface SinkWorkerOptions extends MessageOptions {
  sinkId: string;
}

export interface SinkWorker {
  /** Makes the worker check which messages must be sent or closed now. */
  poke(): void;
  /** Sends a test message, which does not belong to a session. */
  test(message: SinkMessage): Promise<Attempt>;
  /** resolves when the worker has nothing in progress; used by tests */
  settled(): Promise<void>;
  /** returns why the last attempt failed or why button presses cannot be received; null if there is no fault */
  fault(): string | null;
  dispose: Dispose;
}

/** The longest delay of a single timer. Node limits a timer to 24 days, and timers pause while the machine sleeps. */
const MOST_WAIT_MS = 3_600_000;
/** How long to wait before trying again if the home was not writable. */
const HOME_RETRY_MS = 30_000;

/**
 * Sends the messages of one sink, one at a time. Each step is saved before it is taken. Therefore a message that may
 * have been sent is always recorded as sent or as possibly sent, whenever the server is killed.
 */
export function createSinkWorker(options: SinkWorkerOptions): SinkWorker {
  const { sinkId, name, driver, store, clock, log } = options;
  const ended = new AbortController();
  let cancel: Dispose | null = null;
  let running: Promise<void> | null = null;
  let isPoked = false;
  const tests: (() => Promise<void>)[] = [];
  const steps = createMessageSteps(options, () => {
    isPoked = true;
  });
  const listenFault = listen(options, ended.signal);

  function poke(): void {
    if (ended.signal.aborted) return;
    isPoked = true;
    if (running !== null) return;
    running = run()
      .catch((cause: unknown) => {
        log.error({ sink: name, err: cause }, "a sink's messages could not be sent");
        wait(HOME_RETRY_MS);
      })
      .finally(() => {
        running = null;
        if (isPoked) poke();
      });
  }

  async function run(): Promise<void> {
    while (isPoked && !ended.signal.aborted) {
      isPoked = false;
      cancel?.();
      for (const test of tests.splice(0)) await test();
      let soonest: number | null = null;
      let isBlocked = false;
      for (const { id } of store.unfinished(sinkId)) {
        const message = store.get(id);
        if (message === null || (isBlocked && message.phase !== 'closing')) continue;
        const again = await steps.advance(message);
        if (ended.signal.aborted) return;
        if (again !== null) soonest = Math.min(soonest ?? again, again);
        isBlocked ||= driver.isSerial === true && isUnsure(store.get(id));
      }
      if (soonest !== null) wait(soonest - clock.now());
    }
  }

  function wait(ms: number): void {
    if (ended.signal.aborted) return;
    cancel?.();
    cancel = clock.after(Math.min(Math.max(0, ms), MOST_WAIT_MS), poke);
  }

  return {
    poke,
    test: (message) =>
      new Promise((resolve) => {
        tests.push(async () => resolve(await driver.send(message)));
        poke();
      }),
    settled: async () => {
      while (running !== null) await running;
    },
    fault: () => steps.fault() ?? listenFault(),
    dispose: () => {
      ended.abort();
      cancel?.();
      driver.dispose?.();
    },
  };
}

function isUnsure(message: OutboxMessage | null): boolean {
  return message?.phase === 'waiting' && message.unsureSince !== null;
}

/** Listens for button presses. Returns what tells why they cannot be received. */
function listen(options: SinkWorkerOptions, signal: AbortSignal): () => string | null {
  const { name, takesAnswers, driver, clock, log, onPress } = options;
  let fault: string | null = null;
  if (!takesAnswers || driver.listen === undefined) return () => null;
  const listening = {
    onPress,
    onFault: (error: string | null) => {
      if (error !== null && fault === null)
        log.warn({ sink: name, error }, 'button presses cannot be received from a sink');
      fault = error;
    },
    pause: (ms: number) =>
      new Promise<void>((resolve) => {
        const stop = clock.after(ms, resolve);
        signal.addEventListener('abort', () => {
          stop();
          resolve();
        });
      }),
    signal,
  };
  void driver.listen(listening).catch((cause: unknown) => {
    log.error({ sink: name, err: cause }, 'button presses are no longer received from a sink');
    fault = 'button presses are no longer received; see server.log';
  });
  return () => fault;
}
