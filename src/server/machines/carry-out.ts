import type { z } from 'zod';
import { type MachineCall, ROUTES, type Route } from '../../protocol/index.ts';
import type { Handlers } from '../handlers.ts';
import { invalidRequest, refuseLostNames } from '../http/error-response.ts';

/**
 * Carries out a request from another machine after it has been permitted. The request goes through the same schemas and
 * handlers as a REST request.
 * @throws CatalogueError invalid_request, and everything that the handler throws
 */
export async function carryOutCall(handlers: Handlers, call: MachineCall): Promise<unknown> {
  const route: Route = ROUTES[call.route];
  const part = (schema: z.ZodType | undefined, value: unknown, name: string): unknown => {
    if (schema === undefined) return undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw invalidRequest(parsed.error, name);
  };
  refuseLostNames(call.body);
  // Each handler is type-checked where it is defined, because in the table as a whole, TypeScript cannot relate a
  // handler to its input.
  const handle = handlers[call.route] as (input: Record<string, unknown>) => unknown;
  return handle({
    params: part(route.params, call.params ?? {}, 'path'),
    query: part(route.query, call.query ?? {}, 'query'),
    body: part(route.body, call.body, 'body'),
    request: new Request(`http://machine${route.path}`),
    from: {},
  });
}
