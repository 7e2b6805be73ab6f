import type { Form, FormChoice, FormField } from '../../protocol/index.ts';

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** What an MCP server asks the user, as a hook or a control request of Claude Code reports it. */
export interface Elicitation {
  message: string;
  form: Form;
}

/**
 * Reads an elicitation. Claude Code passes on what the server has sent, so nothing in it can be relied on.
 * @returns null if the mode is one that CBOS does not know
 */
export function readElicitation(asked: Json): Elicitation | null {
  const mode = asked.mode ?? 'form';
  const server = text(asked.mcp_server_name) ?? 'unknown';
  const message = text(asked.message) ?? '';
  if (mode === 'url') return { message, form: { mode, server, url: text(asked.url) ?? '', fields: [] } };
  if (mode !== 'form') return null;
  return { message, form: { mode, server, fields: fieldsOf(record(asked.requested_schema), asked.property_order) } };
}

/** Returns the fields in the server's order, which a JSON object alone does not keep if a name looks like a number. */
function fieldsOf(schema: Json, order: unknown): FormField[] {
  const properties = record(schema.properties);
  const named = texts(order).filter((name) => Object.hasOwn(properties, name));
  const names = new Set([...named, ...Object.keys(properties)]);
  const required = new Set(texts(schema.required));
  return [...names].map((name) => ({
    name,
    ...fieldOf(record(properties[name])),
    required: required.has(name),
  }));
}

type Read = Omit<FormField, 'name' | 'required'>;

function fieldOf(schema: Json): Read {
  const words = { title: text(schema.title), description: text(schema.description) };
  const choices = choicesOf(schema);
  switch (schema.type) {
    case 'boolean':
      return { type: 'boolean', ...words, ...defaultOf(typeof schema.default === 'boolean', schema) };
    case 'number':
    case 'integer':
      return {
        type: schema.type,
        ...words,
        ...bounds(schema.minimum, schema.maximum),
        ...defaultOf(typeof schema.default === 'number', schema),
      };
    case 'array': {
      const items = choicesOf(record(schema.items));
      if (items === null) return { type: 'other', ...words };
      const isList = Array.isArray(schema.default) && texts(schema.default).length === schema.default.length;
      const some = bounds(schema.minItems, schema.maxItems);
      return { type: 'choices', ...words, choices: items, ...some, ...defaultOf(isList, schema) };
    }
    default: {
      if (choices !== null)
        return { type: 'choice', ...words, choices, ...defaultOf(typeof schema.default === 'string', schema) };
      if (schema.type !== 'string') return { type: 'other', ...words };
      return {
        type: 'text',
        ...words,
        ...formatOf(schema.format),
        ...bounds(schema.minLength, schema.maxLength),
        ...defaultOf(typeof schema.default === 'string', schema),
      };
    }
  }
}

/**
 * Returns the choices of a field, or null if it has none. Servers write them in three ways: `enum`, `enum` with the
 * titles in `enumNames`, and `oneOf` or `anyOf` with a `const` and a `title` for each.
 */
function choicesOf(schema: Json): FormChoice[] | null {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.flatMap((value, index) =>
      typeof value === 'string' ? [{ value, title: text(names[index]) ?? value }] : [],
    );
  }
  const listed = Array.isArray(schema.oneOf) ? schema.oneOf : schema.anyOf;
  if (!Array.isArray(listed)) return null;
  const choices = listed
    .map(record)
    .flatMap(({ const: value, title }) => (typeof value === 'string' ? [{ value, title: text(title) ?? value }] : []));
  return choices.length === listed.length ? choices : null;
}

function bounds(min: unknown, max: unknown): Pick<FormField, 'min' | 'max'> {
  return { ...(typeof min === 'number' ? { min } : {}), ...(typeof max === 'number' ? { max } : {}) };
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

function formatOf(format: unknown): Pick<FormField, 'format'> {
  const known = FORMATS.find((one) => one === format);
  return known === undefined ? {} : { format: known };
}

/** A default of another type than its field is a mistake of the server, and is left out. */
const defaultOf = (isOfType: boolean, schema: Json): Pick<FormField, 'default'> =>
  isOfType ? { default: schema.default as NonNullable<FormField['default']> } : {};
