import { z } from 'zod';
import { REQUEST_ERRORS } from './errors/of-requests.ts';
import { SESSION_ERRORS } from './errors/of-sessions.ts';
import { TEXT_ERRORS } from './errors/of-texts.ts';
import { SERVER_ERRORS } from './errors/of-the-server.ts';

/** Every error that can be expected. A test holds docs/ERRORS.md, the OpenAPI description and this table together. */
export const ERRORS = { ...REQUEST_ERRORS, ...SERVER_ERRORS, ...SESSION_ERRORS, ...TEXT_ERRORS };

export type ErrorCode = keyof typeof ERRORS;

/** The error object of REST bodies and WebSocket results. */
export const ErrorBody = z
  .looseObject({ code: z.string(), message: z.string(), hint: z.string() })
  .meta({ id: 'Error', description: '`not_accepting_text` carries the open question as `question`' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const ErrorResponse = z.object({ error: ErrorBody }).meta({ id: 'ErrorResponse' });

/** An error that was expected: one of the catalogue, with what happened and the cure. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly code: ErrorCode;
  readonly hint: string;
  /** further fields of the error object, e.g. the open question */
  readonly extra: Readonly<Record<string, unknown>>;

  /**
   * @param message what happened, one line, without a full stop; the catalogue's meaning when left out
   * @param options.hint the cure, when it is more precise than the catalogue's
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

  /** The shape on the wire. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, hint: this.hint, ...this.extra };
  }
}
