/** Ends a subscription. */
export type Dispose = () => void;

/** Standard output or error, such as `process.stdout`. */
export interface TerminalOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** width of the terminal in cells, if there is one */
  readonly columns?: number;
  /** its height */
  readonly rows?: number;
}

/** Standard input, such as `process.stdin`. */
export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  /** receives each key as it is typed, instead of lines; Ctrl-C is then just a key */
  setRawMode?(isRaw: boolean): unknown;
}

/** The input and output for one run of the command line. Tests pass their own. */
export interface TerminalIo {
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** the directory in which it was started, absolute */
  cwd: string;
  /** milliseconds since 1970 */
  now(): number;
  /**
   * Reports SIGINT, SIGTERM, and SIGHUP while somebody is listening. Without a listener, they end the process as usual.
   * @param listener receives the exit code that a shell expects: 130, 143, or 129
   */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
