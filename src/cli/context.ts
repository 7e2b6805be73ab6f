import { type Caller, type Client, createCaller, withRemoteNames } from '../client/index.ts';
import { EXIT, type ResolvedSetting, type Settings } from '../protocol/index.ts';
import type { LocalHost } from './local-host.ts';
import type { Printer } from './output/printer.ts';
import { socketRequests } from './socket-requests.ts';
import type { TerminalIo } from './terminal-io.ts';
import { checkServerVersion, noteVersion } from './version-check.ts';

/** What every command gets to work with. */
export interface CliContext {
  host: LocalHost;
  io: TerminalIo;
  out: Printer;
  version: string;
  /** how this program is called in the commands that it suggests */
  program: string;
  /** the arguments after `--`, for commands that pass them on */
  passedArgs: readonly string[];
  settings(): Promise<{ settings: Settings; rows: ResolvedSetting[] }>;
  /** Returns a client for requests over the local socket. The server's version arrives with the first response. */
  client(): Promise<Caller>;
  /** like `connect`, but for commands that also listen to the server's stream */
  listener(): Promise<Client>;
  /**
   * resolves when the server's version is known, or after a short time if it is not, because a server that hangs must
   * not block the command
   */
  settleVersionCheck(): Promise<void>;
  /** the session that the command acts on, if any, for hints such as `cbos show SLUG` */
  about: string | undefined;
  /** the command's exit code if it does not throw */
  exitCode: number;
}

/**
 * Reports whether both standard input and standard output are terminals, which means that CBOS may ask the user
 * questions.
 */
export function isInteractive(io: TerminalIo): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true;
}

/** Reports whether CBOS can also move the cursor, which is not certain if the type of the terminal is unknown. */
export function canDraw(io: TerminalIo): boolean {
  return isInteractive(io) && !['', 'dumb'].includes(io.env.TERM ?? '');
}

export function createContext(options: {
  host: LocalHost;
  io: TerminalIo;
  out: Printer;
  version: string;
  program: string;
  passedArgs: readonly string[];
}): CliContext {
  const { host, out, version } = options;
  let settings: ReturnType<CliContext['settings']> | null = null;
  let client: Promise<Caller> | null = null;
  let versionCheck: Promise<void> = Promise.resolve();

  const context: CliContext = {
    ...options,
    about: undefined,
    exitCode: EXIT.done,
    settings() {
      settings ??= host.settings({});
      return settings;
    },
    client() {
      client ??= context.settings().then(({ settings: { socket } }) => {
        let isChecked = false;
        const onAnswer = (served: string | null): void => {
          if (isChecked) return;
          isChecked = true;
          if (served !== null) noteVersion(out, version, served);
          else versionCheck = checkServerVersion({ client: opened, version, out });
        };
        const opened = createCaller({ transport: socketRequests(socket, host.requireNotStopped, onAnswer) });
        return withRemoteNames(opened);
      });
      return client;
    },
    async listener() {
      const [{ connectLocally }, { settings }] = await Promise.all([
        import('./connect-locally.ts'),
        context.settings(),
        context.client(),
      ]);
      return connectLocally(settings.socket, host.requireNotStopped);
    },
    settleVersionCheck: () => versionCheck,
  };
  return context;
}
