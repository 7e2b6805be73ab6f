import type { ErrorBody } from './error-body.ts';
import { GIT_ERRORS } from './errors/of-git.ts';
import { MACHINE_ERRORS } from './errors/of-machines.ts';
import { REQUEST_ERRORS } from './errors/of-requests.ts';
import { REVIEW_ERRORS } from './errors/of-reviews.ts';
import { SESSION_ERRORS } from './errors/of-sessions.ts';
import { TEXT_ERRORS } from './errors/of-texts.ts';
import { SERVER_ERRORS } from './errors/of-the-server.ts';

/** All expected errors. A test ensures that docs/ERRORS.md, the OpenAPI description, and this table agree. */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...SERVER_ERRORS,
  ...SESSION_ERRORS,
  ...TEXT_ERRORS,
  ...GIT_ERRORS,
  ...REVIEW_ERRORS,
  ...MACHINE_ERRORS,
};

export type ErrorCode = keyof typeof ERRORS;

/** Reports whether this version knows a code. Another version may send any. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

/** An expected error from the catalogue. It says what happened and what to do about it. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly code: ErrorCode;
  readonly hint: string;
  /** additional fields of the error object, such as the open question */
  readonly extra: Readonly<Record<string, unknown>>;

  /**
   * @param message what happened, on a single line without a final period; the catalogue's text if omitted
   * @param options.hint what to do, if this can be more precise than the catalogue's hint
   */
  constructor(
    code: ErrorCode,
    message?: string,
    options: { hint?: string; cause?: unknown; extra?: Record<string, unknown> } = {},
  ) {
    super(message ?? ERRORS[code].meaning, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? ERRORS[code].hint;
    this.extra = options.extra ?? {};
  }

  /** Returns the error in the form in which it is sent to clients. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, hint: this.hint, ...this.extra };
  }
}
