import type { StreamConnection, StreamListener } from '../client/index.ts';
import { EXIT } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import { withoutUndefined } from './without-undefined.ts';

/**
 * Ends a command that listens to the stream, either with an exit code or with an error, which is reported like any
 * other.
 */
export interface Ending {
  finish(exitCode: number): void;
  fail(error: unknown): void;
}

export interface FollowOptions {
  recordings?: readonly string[];
  from?: Readonly<Record<string, number>>;
  /** for each JSON session, the event to continue from */
  after?: Readonly<Record<string, number>>;
  giveUpAfterMs?: number;
  /** how many seconds to wait before calling `onTimeout`, once */
  timeoutSeconds?: number;
  onTimeout?(): void;
  /** the exit code to use if the user interrupts the command; 130 by default */
  interruptedCode?: number;
}

/**
 * Listens to the server's stream, and resolves to the exit code when it stops. It stops when the listener ends it, when
 * the user interrupts the command, or when nobody reads the output any more. If the connection is lost, the command
 * waits for the server to come back. Both events are reported on standard error.
 */
export async function followStream(
  context: CliContext,
  options: FollowOptions,
  listen: (ending: Ending, connection: () => StreamConnection) => Pick<StreamListener, 'onFrame'>,
): Promise<number> {
  const client = await context.listener();
  const { out, io } = context;
  const { recordings, from, after, giveUpAfterMs } = options;
  let connection: StreamConnection | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isLost = false;
  let stopInterrupts = (): void => undefined;
  let stopClosed = (): void => undefined;

  const ended = new Promise<number>((resolve, reject) => {
    const ending: Ending = { finish: resolve, fail: reject };
    const opened = (): StreamConnection => {
      if (connection === null) throw new Error('not connected yet');
      return connection;
    };
    const onClosed = (): void => resolve(EXIT.done);
    out.closed.addEventListener('abort', onClosed);
    stopClosed = () => out.closed.removeEventListener('abort', onClosed);
    stopInterrupts = io.onInterrupt((exitCode) => resolve(options.interruptedCode ?? exitCode));
    if (options.timeoutSeconds !== undefined) {
      timer = setTimeout(() => options.onTimeout?.(), options.timeoutSeconds * 1_000);
    }
    connection = client.subscribe({
      ...withoutUndefined({ recordings, from, after, giveUpAfterMs }),
      startTimer: (callback, delayMs) => {
        const handle = setTimeout(callback, delayMs);
        return () => clearTimeout(handle);
      },
      listener: {
        ...guarded(listen(ending, opened), ending),
        onLost() {
          if (!isLost) out.notice('the connection to the server was lost; waiting for the server (cbos up starts it)');
          isLost = true;
        },
        onReconnected() {
          out.notice('connected again');
          isLost = false;
        },
        onEnd: reject,
      },
    });
  });
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
    stopInterrupts();
    stopClosed();
    // The promise's executor assigns this variable, which the compiler does not see.
    (connection as StreamConnection | null)?.dispose();
  }
}

/**
 * Ends the command if a listener throws. Otherwise the error would surface in the socket's event handler, where nothing
 * catches it.
 */
function guarded(listener: Pick<StreamListener, 'onFrame'>, ending: Ending): Pick<StreamListener, 'onFrame'> {
  return {
    onFrame(frame, view) {
      try {
        listener.onFrame?.(frame, view);
      } catch (error) {
        ending.fail(error);
      }
    },
  };
}
