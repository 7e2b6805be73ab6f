import { REST_EXAMPLES } from './rest-examples.mjs';
import { asText, fieldTable, typeWords } from './schema-words.mjs';

/**
 * @typedef {import('./schema-words.mjs').Schema} Schema
 * @typedef {{ name: string, in: string, required?: boolean, schema: Schema, description?: string }} Parameter
 * @typedef {{ content?: Record<string, { schema: Schema }>, 'x-error-codes'?: string[] }} Answer
 * @typedef {object} Operation
 * @property {string} operationId
 * @property {string} summary
 * @property {readonly unknown[]} [security]
 * @property {readonly Parameter[]} [parameters]
 * @property {{ content: Record<string, { schema: Schema }> }} [requestBody]
 * @property {Record<string, Answer>} responses
 */

const INTRODUCTION = `# REST

This page lists every request of the server's HTTP interface. Start with [The API, by example](../API.md).

- The server listens on \`http://127.0.0.1:32205\`. Bodies and responses are JSON.
- Every request needs the header \`Authorization: Bearer TOKEN\`, except where noted. \`cbos token\` prints the token.
  The local socket needs no token.
- A request that fails returns \`{"error": {"code", "message", "hint"}}\`. [Errors](../ERRORS.md) lists the codes. Every
  request can return \`unauthorized\`, \`too_many_attempts\`, \`forbidden_host\`, \`forbidden_origin\`,
  \`inside_session\`, \`invalid_request\`, \`payload_too_large\` and \`internal\`.
- Times are ISO 8601 in UTC. A field without a value is null.

[openapi.json](../openapi.json) has the same content in a form that tools can read.

\`npm run generate\` writes this page from the schemas that validate the requests. \`npm run check\` fails if the page is out of date.
`;

const EVERYWHERE = new Set([
  ...['unauthorized', 'too_many_attempts', 'forbidden_host', 'forbidden_origin', 'inside_session'],
  ...['invalid_request', 'payload_too_large', 'internal'],
]);

const SHELL_QUOTED = /[^\w/:.=?&{}-]/;

/**
 * Returns the page that lists all requests and the objects in them.
 * @param {any} document the OpenAPI description
 * @returns {string} Markdown
 */
export function restPage(document) {
  /** @type {Record<string, Schema>} */
  const schemas = document.components.schemas;
  const link = (/** @type {string} */ name) => `[${name}](#${name.toLowerCase()})`;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return `${[
    INTRODUCTION,
    '## Requests',
    '',
    ...operations.flatMap((one) => requestSection(one, { schemas, link })),
    '## Objects',
    '',
    ...Object.entries(schemas).flatMap(([name, schema]) => objectSection(name, schema, link)),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/**
 * @param {{ path: string, method: string, operation: Operation }} request
 * @param {{ schemas: Record<string, Schema>, link: (name: string) => string }} words
 * @returns {string[]}
 */
function requestSection({ path, method, operation }, { schemas, link }) {
  const { operationId, summary, parameters = [], requestBody, responses, security } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const takesBytes = requestBody?.content['application/octet-stream'] !== undefined;
  const query = parameters.filter((one) => one.in === 'query');
  const asked = {
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { description: description ?? '', ...schema }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
  return [
    `### ${method} ${path}`,
    '',
    `${asText(summary)}.${security?.length === 0 ? ' Needs no token.' : ''}`,
    '',
    ...fieldTable(asked, { link, head: 'query', marksOptional: true }),
    ...(body === undefined ? [] : bodyTable(body, { schemas, link })),
    '```sh',
    takesBytes
      ? `${curl({ path: `${path}?name=shot.png`, method, example: null, hasBody: false })} \\\n     --data-binary @shot.png`
      : curl({ path, method, example: REST_EXAMPLES[operationId], hasBody: body !== undefined }),
    '```',
    '',
    answerLine(responses, link),
    '',
  ];
}

/** @param {Schema} schema @param {{ schemas: Record<string, Schema>, link: (name: string) => string }} words */
function bodyTable(schema, { schemas, link }) {
  const named = schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema);
  return fieldTable(named, { link, head: 'body', marksOptional: true });
}

/** @param {{ path: string, method: string, example: unknown, hasBody: boolean }} request */
function curl({ path, method, example, hasBody }) {
  const address = `http://127.0.0.1:32205${path.replace('{slug}', 'AUTH').replace('{id}', '4c1f09ab')}`;
  const verb = method === 'GET' || (method === 'POST' && hasBody) ? '' : ` -X ${method}`;
  if (hasBody && example === undefined)
    throw new Error(`scripts/generate/rest-examples.mjs has no example of a body for ${method} ${path}`);
  const data = hasBody ? ` \\\n     --json '${JSON.stringify(example).replaceAll("'", "'\\''")}'` : '';
  return `curl -H "$auth"${verb} ${SHELL_QUOTED.test(address) ? `'${address}'` : address}${data}`;
}

/** @param {Operation['responses']} responses @param {(name: string) => string} link */
function answerLine(responses, link) {
  const [[status, answer] = []] = Object.entries(responses).filter(([code]) => code.startsWith('2'));
  const schema = answer?.content?.['application/json']?.schema;
  const what = schema === undefined ? 'raw bytes' : typeWords(schema, link);
  const errors = Object.values(responses).flatMap((one) => one['x-error-codes'] ?? []);
  const own = errors.filter((code) => !EVERYWHERE.has(code));
  const refused = own.length === 0 ? '' : ` Errors: ${own.map((code) => `\`${code}\``).join(', ')}.`;
  return `Response: ${status}, ${what}.${refused}`;
}

/** @param {string} name @param {Schema} schema @param {(name: string) => string} link */
function objectSection(name, schema, link) {
  const fields = fieldTable(schema, { link, head: 'field', marksOptional: true });
  const about = schema.description === undefined ? [] : [`${asText(schema.description)}.`, ''];
  return [`### ${name}`, '', ...about, ...(fields.length > 0 ? fields : [`${typeWords(schema, link)}.`, ''])];
}
