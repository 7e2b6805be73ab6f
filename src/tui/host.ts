import type { Client, Dispose } from '../client/index.ts';
import type { TuiInput, TuiOutput } from './terminal/own-screen.ts';

/**
 * What the terminal UI needs from this machine in addition to the server's API. The terminal UI does not import the
 * modules behind this interface.
 */
export interface TuiHost {
  /** Starts the server if none is running. @throws CatalogueError no_server, timed_out */
  startServer(): Promise<void>;
  /** Attaches this terminal to a session's own terminal until the user detaches. @param screenId `PID.NAME` */
  attach(screenId: string): Promise<number>;
  /** Runs this program in this terminal with the given arguments, such as `replay AUTH`. */
  runHere(args: readonly string[]): Promise<number>;
  /** Runs this program in the background. Returns its exit code and all of its output. */
  runAside(args: readonly string[]): Promise<{ code: number; said: string }>;
  /**
   * Stops this program, as Ctrl+Z usually does, until the user continues it. Returns immediately if there is no shell
   * that could continue the program.
   */
  suspend(): Promise<void>;
  /** Opens text in the user's editor, in this terminal. @returns the text that the user saved */
  editText(text: string): Promise<string>;
}

export interface TuiOptions {
  client: Client;
  host: TuiHost;
  stdin: TuiInput;
  stdout: TuiOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** the directory in which the program was started; it is the default folder for a new session */
  cwd: string;
  /** the version of this program */
  version: string;
  /** returns the time in Unix milliseconds */
  now(): number;
  startTimer(callback: () => void, delayMs: number): Dispose;
  /** reports SIGINT, SIGTERM, and SIGHUP; the listener receives the exit code that shells expect for the signal */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
