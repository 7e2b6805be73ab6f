import { EXIT } from '../protocol/index.ts';

/** An error that the command line detects on its own, and for which the server's catalogue has no code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly hint: string;
  readonly exitCode: number;

  /**
   * @param message a single line without a final period
   * @param hint what the user can do about the error
   */
  constructor(message: string, hint: string, exitCode: number = EXIT.failed) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** An error in how the user called a command. */
export class UsageError extends CommandError {
  constructor(message: string, hint: string) {
    super(message, hint, EXIT.usage);
  }
}
