import { CatalogueError, ERRORS, type ErrorBody, type ErrorCode } from '../protocol/index.ts';
import { ConnectionLostError, UnreachableError } from './transport.ts';

/**
 * The error of a REST body or a WebSocket result. A code that this version does not know (the server is newer) becomes
 * `internal`, which decides the exit code, but keeps its message and hint, and `toBody()` names the code as it came.
 */
export function errorFromBody(body: ErrorBody): CatalogueError {
  const { code, message, hint, ...extra } = body;
  if (isKnownCode(code)) return new CatalogueError(code, message, { hint, extra });
  return new CatalogueError('internal', message, { hint, extra: { ...extra, code } });
}

/** The error of a response that was no success, whatever its body looks like (a proxy's is HTML). */
export function errorFromResponse(status: number, text: string): CatalogueError {
  const error = fieldOf(parseJson(text), 'error');
  if (isErrorBody(error)) return errorFromBody(error);
  return new CatalogueError('internal', `The server answered with HTTP ${status} and no error of CBOS`, {
    hint: 'Is it CBOS that answers there? `cbos doctor` looks',
  });
}

/** By hand, as `ErrorBody` says it: this is all that a command line which only asks would load the schemas for. */
function isErrorBody(value: unknown): value is ErrorBody {
  return ['code', 'message', 'hint'].every((name) => typeof fieldOf(value, name) === 'string');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** What a transport threw, as an error with a cure; anything unexpected stays what it is. */
export function errorFromTransport(cause: unknown): unknown {
  if (cause instanceof UnreachableError) return new CatalogueError('no_server', undefined, { cause });
  if (cause instanceof ConnectionLostError) {
    return new CatalogueError(
      'no_server',
      'The server went away before it answered; whether it was done is not known',
      {
        hint: '`cbos up`, then look at the session before doing it again',
        cause,
      },
    );
  }
  return cause;
}

/** undefined where the text is no JSON, which no JSON text can mean. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function isKnownCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
