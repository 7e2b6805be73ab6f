import type { RouteConfig } from '@hono/zod-openapi';
import { ERRORS, type ErrorCode, ErrorResponse, type Route } from '../../protocol/index.ts';

/** The name of the security scheme in the OpenAPI description. */
export const TOKEN_SCHEME = 'token';

const JSON_TYPE = 'application/json';
const BYTES = {
  'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
} as const;

/** Returns all error codes that a route can return, including those that every route can return. */
export function errorsOf(route: Route): ErrorCode[] {
  const everywhere: ErrorCode[] = ['forbidden_host', 'forbidden_origin', 'internal'];
  if (route.who !== 'open') everywhere.unshift('unauthorized', 'too_many_attempts');
  if (route.who === 'person' || route.isPrompt === true) everywhere.push('inside_session');
  if (route.body !== undefined || route.query !== undefined) everywhere.push('invalid_request');
  if (route.body !== undefined) everywhere.push('payload_too_large');
  return [...new Set([...route.errors, ...everywhere])];
}

/** Converts an entry of the table of routes into the form that Hono and the OpenAPI generator expect. */
export function routeConfig(name: string, route: Route): RouteConfig {
  return {
    operationId: name,
    method: route.method,
    path: route.path,
    summary: route.summary,
    security: route.who === 'open' ? [] : [{ [TOKEN_SCHEME]: [] }],
    request: {
      ...(route.params === undefined ? {} : { params: route.params }),
      ...(route.query === undefined ? {} : { query: route.query }),
      ...(route.takesBytes === true ? { body: { required: true, content: BYTES } } : {}),
      ...(route.body === undefined
        ? {}
        : { body: { required: true, content: { [JSON_TYPE]: { schema: route.body } } } }),
    },
    responses: { ...successes(route), ...failures(route) },
  };
}

function successes(route: Route): RouteConfig['responses'] {
  if (route.response !== null) {
    return { [route.success]: { description: route.summary, content: { [JSON_TYPE]: { schema: route.response } } } };
  }
  return {
    [route.success]: { description: route.summary, content: BYTES },
    206: { description: 'The range requested by the Range header', content: BYTES },
  };
}

/**
 * All errors with the same HTTP status share one entry. Programs read its `x-error-codes` field, and people read its
 * description.
 */
function failures(route: Route): RouteConfig['responses'] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('. '),
        content: { [JSON_TYPE]: { schema: ErrorResponse } },
        'x-error-codes': codes,
      },
    ]),
  );
}
