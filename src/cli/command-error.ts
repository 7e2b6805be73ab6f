import { EXIT } from '../protocol/index.ts';

/** An error that the command line itself detects. The server's catalogue has no code for it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly hint: string;
  readonly exitCode: number;

  /**
   * @param message one line without a full stop
   * @param hint what to do about it
   */
  constructor(message: string, hint: string, exitCode: number = EXIT.failed) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
