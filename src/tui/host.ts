import type { Client, Dispose } from '../client/index.ts';
import type { TuiInput, TuiOutput } from './terminal/own-screen.ts';

/**
 * What the terminal UI needs from this machine in addition to the server's API. It never imports the modules behind
 * this interface.
 */
export interface TuiHost {
  /** Starts the server if none is running. @throws CatalogueError no_server, timed_out */
  startServer(): Promise<void>;
  /** Opens a session's real terminal in this one, until the user detaches. @param screenId `PID.NAME` */
  attach(screenId: string): Promise<number>;
  /** Runs this program in this terminal, for example `replay AUTH`. */
  runHere(args: readonly string[]): Promise<number>;
  /** Runs this program in the background, and returns its exit code and all its output. */
  runAside(args: readonly string[]): Promise<{ code: number; said: string }>;
  /**
   * Stops this program, as Ctrl+Z stops any other, until the user continues it. Returns immediately if nobody could
   * continue it.
   */
  suspend(): Promise<void>;
  /** Opens text in the user's own editor in this terminal. @returns the text as saved */
  editText(text: string): Promise<string>;
}

export interface TuiOptions {
  client: Client;
  host: TuiHost;
  stdin: TuiInput;
  stdout: TuiOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** the directory in which the program was started, which is the default folder for a new session */
  cwd: string;
  /** this program's own version */
  version: string;
  /** milliseconds since 1970 */
  now(): number;
  startTimer(callback: () => void, delayMs: number): Dispose;
  /** reports SIGINT, SIGTERM, and SIGHUP; the listener receives the exit code that a shell expects */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
