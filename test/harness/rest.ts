import { expect } from 'vitest';
import type { z } from 'zod';
import { ALWAYS_ROUTES } from '../../src/protocol/always.ts';
import { FILE_ROUTES } from '../../src/protocol/file-routes.ts';
import { ErrorResponse, ROUTES, type Route, type RouteName } from '../../src/protocol/index.ts';
import { MACHINE_ROUTES } from '../../src/protocol/machine-routes.ts';
import { PULL_REQUEST_ROUTES } from '../../src/protocol/pull-request-routes.ts';
import { VIEW_ROUTES } from '../../src/protocol/views.ts';
import { errorsOf } from '../../src/server/http/route-config.ts';
import type { Answered, CallOptions, FacesUnderTest } from './faces.ts';

/**
 * Routes that separate suites call, because they need a NATS server, a forge, views, files, or a rule that was shown.
 */
export const ELSEWHERE = {
  ...ALWAYS_ROUTES,
  ...FILE_ROUTES,
  ...MACHINE_ROUTES,
  ...PULL_REQUEST_ROUTES,
  ...VIEW_ROUTES,
};

export interface RestInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** Returns the address of a route with its parameters filled in. */
export function addressOf(route: Route, input: RestInput): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ''));
  const query = new URLSearchParams(input.query).toString();
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Calls a route, and checks the response against the route's entry: the status and the body. The body must match its
 * schema without extra fields, or be an error that the entry lists.
 */
export async function callRoute(
  server: Pick<FacesUnderTest, 'call'>,
  name: RouteName,
  input: RestInput & Pick<CallOptions, 'headers'> = {},
): Promise<Answered> {
  const route: Route = ROUTES[name];
  const answer = await server.call(addressOf(route, input), {
    method: route.method.toUpperCase(),
    ...(input.body === undefined ? {} : { body: input.body }),
    ...(input.headers === undefined ? {} : { headers: input.headers }),
  });
  expectAsDescribed(route, answer);
  return answer;
}

export function expectAsDescribed(route: Route, answer: Answered): void {
  if (answer.status >= 400) {
    expectExactly(ErrorResponse, answer.json());
    expect(errorsOf(route)).toContain(answer.code());
    return;
  }
  if (route.response === null) {
    expect([route.success, 206]).toContain(answer.status);
    return;
  }
  expect(answer.status, answer.text).toBe(route.success);
  expectExactly(route.response, answer.json());
}

function expectExactly(schema: z.ZodType, body: unknown): void {
  // The schema drops unknown fields, so an extra field shows up as a difference.
  expect(schema.parse(body)).toEqual(body);
}
