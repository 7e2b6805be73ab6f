import { CatalogueError, type ErrorBody, isErrorCode, parseJson } from '../protocol/index.ts';
import { ConnectionLostError, UnreachableError } from './transport.ts';

/**
 * Converts the error in a REST body or WebSocket result into a `CatalogueError`. A newer server may send a code that
 * this version does not know. The error then gets the code `internal`, which determines the exit code, but keeps its
 * message and hint, and `toBody()` still returns the original code.
 */
export function errorFromBody(body: ErrorBody): CatalogueError {
  const { code, message, hint, ...extra } = body;
  if (isErrorCode(code)) return new CatalogueError(code, message, { hint, extra });
  return new CatalogueError('internal', message, { hint, extra: { ...extra, code } });
}

/** Returns the error for an unsuccessful response, whose body may be anything. A proxy, for example, sends HTML. */
export function errorFromResponse(status: number, text: string): CatalogueError {
  const error = fieldOf(parseJson(text), 'error');
  if (isErrorBody(error)) return errorFromBody(error);
  return new CatalogueError('internal', `The server answered with HTTP ${status}, but the answer isn't a CBOS error`, {
    hint: 'Another program may be listening at this address; `cbos doctor` checks that',
  });
}

/** Checks whether a value is an `ErrorBody`, without using a schema. Most commands need schemas for nothing else. */
function isErrorBody(value: unknown): value is ErrorBody {
  return ['code', 'message', 'hint'].every((name) => typeof fieldOf(value, name) === 'string');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/**
 * Converts an exception from a transport into an error that says what to do. An unexpected exception is returned
 * unchanged.
 */
export function errorFromTransport(cause: unknown): unknown {
  if (cause instanceof UnreachableError) return new CatalogueError('no_server', undefined, { cause });
  if (cause instanceof ConnectionLostError) {
    return new CatalogueError(
      'no_server',
      'The server stopped before it answered, so the request may or may not have been carried out',
      {
        hint: 'Run `cbos up`, then check the session with `cbos show SLUG` before you try again',
        cause,
      },
    );
  }
  return cause;
}
