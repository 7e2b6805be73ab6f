import { OpenAPIHono } from '@hono/zod-openapi';
import { ROUTES, type Route } from '../../protocol/index.ts';
import { routeConfig, TOKEN_SCHEME } from './route-config.ts';

const DESCRIPTION =
  'The Claude Code Operating System: run, watch and answer many Claude Code sessions side by side. ' +
  'Every failure is {"error": {"code", "message", "hint"}}. Changes and output are sent over the WebSockets /ws and /ws/stream.';

/**
 * Returns the OpenAPI 3.1 description of the REST interface, generated from the table of routes and from the schemas
 * that validate requests.
 */
export function openApiDocument(version: string): Record<string, unknown> {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent('securitySchemes', TOKEN_SCHEME, {
    type: 'http',
    scheme: 'bearer',
    description: 'The token that `cbos token` prints. The local socket needs no token',
  });
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    app.openAPIRegistry.registerPath(routeConfig(name, route));
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'CBOS', version, description: DESCRIPTION, license: { name: 'MIT' } },
    servers: [{ url: 'http://127.0.0.1:32205' }],
  });
  return { ...document };
}
