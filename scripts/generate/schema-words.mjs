/**
 * The parts of a JSON schema that the pages use.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {unknown} [const]
 * @property {unknown[]} [enum]
 * @property {string} [format]
 * @property {string} [description]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {Schema} [items]
 * @property {Schema | boolean} [additionalProperties]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [oneOf]
 * @property {Schema[]} [allOf]
 */

/**
 * Returns the type of a value in words: `string`, `list of Session`, `yes | no | always`.
 * @param {Schema} schema
 * @param {(name: string) => string} link formats the name of another object
 * @returns {string}
 */
export function typeWords(schema, link) {
  const { $ref, anyOf, oneOf, allOf, items, enum: values, type, format } = schema;
  if ($ref !== undefined) return link($ref.split('/').at(-1) ?? '');
  const parts = anyOf ?? oneOf ?? allOf;
  if (parts !== undefined) return [...new Set(parts.map((part) => typeWords(part, link)))].join(' or ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (Array.isArray(type)) return type.map((one) => typeWords({ ...schema, type: one }, link)).join(' or ');
  switch (type) {
    case 'array':
      return items === undefined ? 'list' : `list of ${typeWords(items, link)}`;
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `map of names to ${typeWords(schema.additionalProperties, link)}`
        : `object${innerFields(schema)}`;
    case 'string':
      return format === 'date-time' ? 'time' : 'string';
    case 'integer':
      return 'integer';
    case 'null':
      return 'null';
    case undefined:
      return 'any value';
    default:
      return type;
  }
}

/** @param {Schema} schema */
function innerFields({ properties = {} }) {
  const names = Object.keys(properties);
  return names.length === 0 ? '' : ` with ${names.map((name) => `\`${name}\``).join(', ')}`;
}

/**
 * Returns a table of an object's fields, or an empty list if the object has no fields. If no field has a description,
 * the table has no column for descriptions.
 * @param {Schema} schema
 * @param {{ link: (name: string) => string, head: string, marksOptional: boolean }} how
 * @returns {string[]} lines of Markdown
 */
export function fieldTable(schema, { link, head, marksOptional }) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const optional = marksOptional && !required.has(name) ? ', optional' : '';
    return [`\`${name}\``, `${cell(typeWords(field, link))}${optional}`, cell(asText(field.description ?? ''))];
  });
  if (fields.length === 0) return [];
  const hasMeanings = fields.some(([, , meaning]) => meaning !== '');
  const shown = [[head, 'type', 'meaning'], ...fields].map((row) => (hasMeanings ? row : row.slice(0, 2)));
  const [titles, ...rows] = shown.map((row) => `| ${row.join(' | ')} |`);
  return [titles ?? '', hasMeanings ? '|---|---|---|' : '|---|---|', ...rows, ''];
}

/** Escapes everything that looks like HTML, except in code spans. @param {string} text */
export function asText(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('');
}

/** @param {string} text */
export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
