/** Ends a subscription. */
export type Dispose = () => void;

/** Standard output or error: `process.stdout` fits. */
export interface TerminalOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** width of the terminal in cells, where there is one */
  readonly columns?: number;
  /** its height */
  readonly rows?: number;
}

/** Standard input: `process.stdin` fits. */
export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  /** each key as it is typed, instead of lines; Ctrl-C is a key then */
  setRawMode?(isRaw: boolean): unknown;
}

/** What a run of the command line reads and writes; tests pass their own. */
export interface TerminalIo {
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** the directory it was called in, absolute */
  cwd: string;
  /** milliseconds since 1970 */
  now(): number;
  /**
   * Tells of SIGINT, SIGTERM and SIGHUP for as long as somebody listens; with nobody listening they end the process as
   * always.
   * @param listener gets the exit code a shell expects: 130, 143 or 129
   */
  onInterrupt(listener: (exitCode: number) => void): Dispose;
}
