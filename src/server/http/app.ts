import type { HttpBindings } from '@hono/node-server';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { CatalogueError, ROUTES, type Route, type RouteName } from '../../protocol/index.ts';
import { WORKER_HEADER, WORKER_SCRIPT } from '../auth/gate.ts';
import type { PromptBody, RightsOf } from '../auth/session-rights.ts';
import type { Handlers } from '../handlers.ts';
import type { Logger } from '../logger.ts';
import { answerBeforeRest } from './answer-before-rest.ts';
import { invalidRequest, refuseLostNames, toFailure } from './error-response.ts';
import { openApiDocument } from './openapi.ts';
import { routeConfig } from './route-config.ts';
import { SERVICE_WORKER, type WebPage } from './web-page.ts';

/**
 * The largest request body that is accepted. A prompt of a million characters fits, even with JSON escapes. The hint in
 * the catalogue of errors quotes this number.
 */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * The largest body accepted from clients that have not authenticated yet. It leaves room for a token of 10,000
 * characters, the longest that the schema accepts.
 */
const MAX_OPEN_BODY_BYTES = 16 * 1024;

/** The largest body of a signed webhook. Most of GitHub's webhooks are smaller than 100 kB. */
const MAX_TRIGGER_BODY_BYTES = 1024 * 1024;

const WELCOME = `CBOS, the Claude Code Operating System. In a browser, signed in: cbos open. Otherwise: curl -H "Authorization: Bearer $(cbos token)" http://HOST:PORT/sessions
`;

export interface HttpAppOptions {
  handlers: Handlers;
  version: string;
  page: WebPage;
  rightsOf: RightsOf;
  logger: Logger;
}

type Handle = (input: Record<string, unknown>) => unknown;

/** Returns the body as the caller may send it. @throws CatalogueError inside_session */
type Admit = (context: Context, body: unknown) => Promise<unknown>;

/** The routes whose body is a file. */
const UPLOADS = Object.values<Route>(ROUTES).filter(({ takesBytes }) => takesBytes === true);

/**
 * Creates the REST interface as a Hono application: every entry in the table of routes, the OpenAPI description, and
 * the response for `/`. The gate decides which requests may reach the application, so never serve the application
 * without a gate.
 */
export function createHttpApp(options: HttpAppOptions): OpenAPIHono {
  const app = new OpenAPIHono();
  for (const [path, maxSize] of [
    ['/sign-in', MAX_OPEN_BODY_BYTES],
    ['/sign-in/*', MAX_OPEN_BODY_BYTES],
    ['/triggers/*', MAX_TRIGGER_BODY_BYTES],
    ['*', MAX_BODY_BYTES],
  ] as const) {
    const limit = bodyLimit({ maxSize, onError: () => fail(new CatalogueError('payload_too_large')) });
    app.use(path, (context, next) => (isUpload(context) ? next() : limit(context, next)));
  }
  app.use(async (context, next) => {
    await next();
    if (context.error === undefined || !isUpload(context)) return;
    context.res = await answerBeforeRest(context.res, context.req.raw.body);
  });
  app.use((context, next) => {
    const { method, path } = context.req;
    const isWorker = context.req.header(WORKER_HEADER) === WORKER_SCRIPT;
    const asked = isWorker ? SERVICE_WORKER : path;
    const file = method === 'GET' && asked !== '/' ? options.page.answer(asked, context.req.raw) : null;
    return file === null ? next() : Promise.resolve(file);
  });
  // Each handler is type-checked where it is defined, because in the table as a whole, TypeScript cannot relate a
  // handler to its input.
  const handlers = options.handlers as Record<RouteName, Handle>;
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: Route = ROUTES[name];
    const admit: Admit = async (context, body) => {
      if (route.who !== 'person' && route.isPrompt !== true) return body;
      const rights = await options.rightsOf((context.env as HttpBindings).incoming);
      if (route.isPrompt === true) return rights.signed(name, body as PromptBody);
      rights.requireFull(name);
      return body;
    };
    registerRoute(app, { name, route, admit, handle: handlers[name] });
  }
  // The OpenAPI description is created when it is first requested. Creating it at start would take a quarter of the
  // server's start time, and few clients ever request it.
  let document: Record<string, unknown> | undefined;
  app.get('/openapi.json', (context) => {
    document ??= openApiDocument(options.version);
    return context.json(document);
  });
  app.get('/', (context) => {
    // A browser gets the web page. Other clients, such as curl, get a line of text that says what to do.
    const wantsPage = (context.req.header('accept') ?? '').includes('text/html');
    return (wantsPage ? options.page.answer('/', context.req.raw) : null) ?? context.text(WELCOME);
  });
  app.notFound((context) => failure(context, notServed(context), options.logger));
  app.onError((error, context) => failure(context, error, options.logger));
  return app;
}

function registerRoute(
  app: OpenAPIHono,
  { name, route, admit, handle }: { name: string; route: Route; admit: Admit; handle: Handle },
): void {
  app.openapi(
    createRoute(routeConfig(name, route)),
    async (context) => {
      const valid = context.req.valid as (target: string) => unknown;
      if (route.body !== undefined) refuseLostNames(await context.req.json());
      const body = await admit(context, valid.call(context.req, 'json'));
      const answered = await handle({
        params: valid.call(context.req, 'param'),
        query: valid.call(context.req, 'query'),
        body,
        request: context.req.raw,
        // If a test calls the application directly, there is no socket.
        from: (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket ?? {},
      });
      if (answered instanceof Response) return answered;
      return context.json(answered, route.success as ContentfulStatusCode);
    },
    (result) => {
      if (!result.success) fail(invalidRequest(result.error as z.ZodError, targetName(result.target)));
    },
  );
}

/**
 * Reports whether a request's body is a file. Such a body may be larger than other bodies, and its size is checked
 * while it arrives.
 */
function isUpload({ req: { method, path } }: Context): boolean {
  const isOf = (route: Route): boolean => route.method === method.toLowerCase() && pattern(route.path).test(path);
  return UPLOADS.some(isOf);
}

function targetName(target: string): string {
  if (target === 'json') return 'body';
  return target === 'param' ? 'path' : target;
}

function fail(error: CatalogueError): never {
  throw error;
}

/** Returns the error for a path that does not exist or does not support the request's method. */
function notServed(context: Context): CatalogueError {
  const { path, method } = context.req;
  const methods = allowedMethods(path);
  if (methods.length === 0) return new CatalogueError('no_such_route', `The API has no path ${path}`);
  context.header('Allow', methods.join(', '));
  return new CatalogueError('method_not_allowed', `${path} supports ${methods.join(', ')}, not ${method}`);
}

function allowedMethods(path: string): string[] {
  const served = Object.values<Route>(ROUTES).filter((route) => pattern(route.path).test(path));
  const methods = new Set(served.map((route) => route.method.toUpperCase()));
  if (path === '/' || path === '/openapi.json') methods.add('GET');
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function failure(context: Context, error: unknown, logger: Logger): Response {
  const failed = toFailure(expected(error), (unexpected) =>
    logger.error({ err: unexpected, method: context.req.method, path: context.req.path }, 'a request failed'),
  );
  if (failed.error.code === 'range_not_satisfiable' && typeof failed.error.length === 'number') {
    context.header('Content-Range', `bytes */${failed.error.length}`);
  }
  return context.json({ error: failed.error }, failed.status as ContentfulStatusCode);
}

/**
 * Translates Hono's own errors into errors from the catalogue: a body that is not JSON (400), and a wrong content type
 * (415).
 */
function expected(error: unknown): unknown {
  if (!(error instanceof HTTPException)) return error;
  if (error.status === 400) return new CatalogueError('invalid_request', 'body: not valid JSON');
  if (error.status === 415) {
    return new CatalogueError('invalid_request', 'body: the Content-Type must be application/json');
  }
  return error;
}
