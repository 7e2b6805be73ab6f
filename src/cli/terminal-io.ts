/** A function that ends a subscription. */
export type Dispose = () => void;

/** Standard output or standard error, such as `process.stdout`. */
export interface TerminalOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** the width of the terminal in cells, if there is a terminal */
  readonly columns?: number;
  /** its height */
  readonly rows?: number;
}

/** Standard input, such as `process.stdin`. */
export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  /** delivers each key as it is typed, instead of whole lines; Ctrl-C is then an ordinary key */
  setRawMode?(isRaw: boolean): unknown;
}

/** The input and output of one run of the command line. Tests provide their own. */
export interface TerminalIo {
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** the absolute path of the directory in which the command was started */
  cwd: string;
  /** returns the time in Unix milliseconds */
  now(): number;
  /**
   * Reports SIGINT, SIGTERM, and SIGHUP to the listener. Without a listener, these signals end the process as usual.
   * @param listener receives the exit code that shells expect for the signal: 130, 143, or 129
   */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
