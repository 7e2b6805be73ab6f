import type { Client, Dispose } from '../client/index.ts';
import type { TuiInput, TuiOutput } from './terminal/own-screen.ts';

/**
 * The features of this machine that the terminal UI needs in addition to the server's API. It never imports the modules
 * behind this interface.
 */
export interface TuiHost {
  /** Starts the server if none is running. @throws CatalogueError no_server, timed_out */
  startServer(): Promise<void>;
  /** Opens a session's real terminal on this one, until the person detaches. @param screenId `PID.NAME` */
  attach(screenId: string): Promise<number>;
  /** Runs this program on this terminal, for example `replay AUTH`. */
  runHere(args: readonly string[]): Promise<number>;
  /** Runs this program in the background, and returns its exit code and all its output. */
  runAside(args: readonly string[]): Promise<{ code: number; said: string }>;
  /**
   * Stops this program, as Ctrl+Z stops any other, until the person continues it. Returns at once if nobody could
   * continue it.
   */
  suspend(): Promise<void>;
  /** Opens a text in the person's own editor on this terminal. @returns the text as it was saved */
  editText(text: string): Promise<string>;
}

export interface TuiOptions {
  client: Client;
  host: TuiHost;
  stdin: TuiInput;
  stdout: TuiOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** the directory in which it was called, which is the default folder for a new session */
  cwd: string;
  /** this program's own version */
  version: string;
  /** milliseconds since 1970 */
  now(): number;
  startTimer(callback: () => void, delayMs: number): Dispose;
  /** reports SIGINT, SIGTERM, and SIGHUP; the listener gets the exit code that a shell expects */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
