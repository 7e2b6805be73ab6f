import type { z } from 'zod';
import { toHomeError } from '../../platform/sqlite/home-fault.ts';
import { CatalogueError, ERRORS } from '../../protocol/index.ts';

/**
 * How many invalid fields one message mentions at most. People fix errors one by one from the top, so more would not
 * help.
 */
const MAX_ISSUES = 5;

/** The response to a failed request, both over HTTP and in WebSocket frames. */
export interface Failure {
  status: number;
  error: ReturnType<CatalogueError['toBody']>;
}

/**
 * Returns the response to a thrown error. An unexpected error is logged in full, but the client learns only that an
 * error happened, because the error's message could name files or contain a prompt.
 * @param log called with an unexpected error
 */
export function toFailure(error: unknown, log: (error: unknown) => void): Failure {
  if (error instanceof CatalogueError) return { status: ERRORS[error.code].status, error: error.toBody() };
  log(error);
  const cause = toHomeError(error);
  const known = cause instanceof CatalogueError ? cause : new CatalogueError('internal');
  return { status: ERRORS[known.code].status, error: known.toBody() };
}

/**
 * Refuses a body with a field named `__proto__`, at any depth. zod drops such a field from a record without a word
 * (4.6), so CBOS would carry out only a part of the request, and report success.
 * @throws CatalogueError invalid_request
 */
export function refuseLostNames(body: unknown): void {
  // A body may be nested more deeply than a function can call itself.
  const left: { value: unknown; path: string }[] = [{ value: body, path: 'body' }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) {
      throw new CatalogueError('invalid_request', `${path}: no field can have the name "__proto__"`);
    }
    for (const [name, inner] of Object.entries(value)) left.push({ value: inner, path: `${path}.${name}` });
  }
}

/**
 * Describes validation errors, for example: `body.cols: Too small: expected number to be >=20; body: unknown field
 * "colour"`.
 * @param where which part of the request was validated: body, query, or frame
 */
export function invalidRequest(error: z.ZodError, where: string): CatalogueError {
  const issues = error.issues.slice(0, MAX_ISSUES).map((issue) => {
    const field = [where, ...issue.path.map(String)].join('.');
    if (issue.code !== 'unrecognized_keys') return `${field}: ${issue.message}`;
    return `${field}: unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
  });
  return new CatalogueError('invalid_request', issues.join('; '));
}
