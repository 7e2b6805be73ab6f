import type { Client, Dispose } from '../client/index.ts';
import type { TuiInput, TuiOutput } from './terminal/own-screen.ts';

/** What the terminal UI needs of this machine beside the server's API; it never imports the rooms behind it. */
export interface TuiHost {
  /** Starts the server where none runs. @throws CatalogueError no_server, timed_out */
  startServer(): Promise<void>;
  /** Opens a session's real terminal on this one, until the person detaches. @param screenId `PID.NAME` */
  attach(screenId: string): Promise<number>;
  /** Runs this program itself on this terminal, `replay AUTH` for example. */
  runHere(args: readonly string[]): Promise<number>;
  /** Runs it aside: its exit code and all that it said. */
  runAside(args: readonly string[]): Promise<{ code: number; said: string }>;
  /**
   * Stops this program as Ctrl+Z does with any other, until the person lets it go on; where nobody could, it returns at
   * once.
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
  /** the directory it was called in: where a new session's folder begins */
  cwd: string;
  /** this program's own version */
  version: string;
  /** milliseconds since 1970 */
  now(): number;
  startTimer(callback: () => void, delayMs: number): Dispose;
  /** tells of SIGINT, SIGTERM and SIGHUP; the listener gets the exit code a shell expects */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
