import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ERRORS, ROUTES, type Route } from '../../../src/protocol/index.ts';
import { RIGHTS_OF_A_PERSON } from '../../../src/server/auth/session-rights.ts';
import type { Handlers } from '../../../src/server/handlers.ts';
import { createHttpApp } from '../../../src/server/http/app.ts';
import { openApiDocument } from '../../../src/server/http/openapi.ts';
import { errorsOf } from '../../../src/server/http/route-config.ts';
import { readWebPage } from '../../../src/server/http/web-page.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
}
interface Operation {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { 'x-error-codes'?: string[]; content: Record<string, { schema: Schema }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: { token?: { type: string; scheme: string } } };
}

const document = openApiDocument('1.2.3') as unknown as Document;
const entries = Object.entries<Route>(ROUTES);
const operation = (route: Route): Operation => {
  const found = document.paths[route.path]?.[route.method];
  if (found === undefined) throw new Error(`${route.method} ${route.path} is not described`);
  return found;
};
const resolve = (schema: Schema | undefined): Schema => {
  const name = schema?.$ref?.split('/').at(-1);
  return (name === undefined ? schema : document.components.schemas[name]) ?? {};
};

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('the OpenAPI description', () => {
  test('is a valid description in version 3.1', async () => {
    const result = await new Validator().validate(structuredClone(openApiDocument('1.2.3')));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
  });

  test('is what the server serves', async () => {
    expect((await server.call('/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('is what docs/openapi.json contains; otherwise run "npm run generate"', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const committed: unknown = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument(version))));
  });

  test('names exactly the routes of the table, and the server serves exactly those', () => {
    const table = entries.map(([, { method, path }]) => `${method} ${path}`).sort();
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(table);
    const silent = (): void => undefined;
    const app = createHttpApp({
      handlers: {} as Handlers,
      version: '1',
      rightsOf: async () => RIGHTS_OF_A_PERSON,
      page: readWebPage(null),
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    });
    const served = new Set(
      app.routes
        .filter(({ method }) => method !== 'ALL')
        .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    expect([...served].sort()).toEqual([...table, 'get /', 'get /openapi.json'].sort());
  });
});

describe.each(entries)('%s', (name, route) => {
  test('is described by its name, with the parts of its entry', () => {
    const { operationId, parameters = [], requestBody } = operation(route);
    expect(operationId).toBe(name);
    const named = (where: string) => parameters.filter((one) => one.in === where).map((one) => one.name);
    expect(named('path')).toEqual(Object.keys(route.params?.shape ?? {}));
    expect(named('path')).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    expect(named('query')).toEqual(Object.keys(route.query?.shape ?? {}));
    expect(requestBody?.required).toBe(route.body === undefined && route.takesBytes !== true ? undefined : true);
    if (route.takesBytes === true)
      expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/octet-stream']);
    if (route.body !== undefined) expectSameFields(requestBody?.content['application/json']?.schema, route.body);
  });

  test('is described with its answer', () => {
    const { content } = operation(route).responses[route.success] ?? { content: {} };
    if (route.response === null) expect(Object.keys(content)).toEqual(['application/octet-stream']);
    else expectSameFields(content['application/json']?.schema, route.response);
  });

  test('is described with every error that it may return, at its status', () => {
    const described = Object.entries(operation(route).responses).flatMap(([status, response]) =>
      (response['x-error-codes'] ?? []).map((code) => `${status} ${code}`),
    );
    expect(described.sort()).toEqual(
      errorsOf(route)
        .map((code) => `${ERRORS[code].status} ${code}`)
        .sort(),
    );
  });

  test('states whether it needs the token', () => {
    expect(operation(route).security).toEqual(route.who === 'open' ? [] : [{ token: [] }]);
    expect(document.components.securitySchemes.token).toMatchObject({ type: 'http', scheme: 'bearer' });
  });
});

/**
 * Expects that both describe the same fields of an object, or of the objects in an array, and the same optional ones.
 */
function expectSameFields(described: Schema | undefined, schema: z.ZodType): void {
  const resolved = resolve(described);
  if (isArray(schema)) {
    expectSameFields(resolved.items, schema.element);
    return;
  }
  if (isUnion(schema)) {
    const alternatives = resolved.oneOf ?? [];
    expect(alternatives).toHaveLength(schema.options.length);
    for (const [index, option] of schema.options.entries()) expectSameFields(alternatives[index], option);
    return;
  }
  const shape = (schema as z.ZodObject).shape;
  expect(Object.keys(resolved.properties ?? {})).toEqual(Object.keys(shape));
  const required = Object.entries(shape).filter(([, field]) => !field.safeParse(undefined).success);
  expect(resolved.required ?? []).toEqual(required.map(([key]) => key));
}

function isUnion(schema: z.ZodType): schema is z.ZodUnion<z.ZodType[]> {
  return schema.type === 'union';
}

function isArray(schema: z.ZodType): schema is z.ZodArray<z.ZodType> {
  return schema.type === 'array';
}
