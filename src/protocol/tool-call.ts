/** Fields of a tool's input that describe a call, most specific first, as in Claude Code's own dialogs. */
const TELLING_FIELDS = [
  'command',
  'file_path',
  'notebook_path',
  'url',
  'query',
  'pattern',
  'path',
  'description',
  'prompt',
];

/**
 * Returns the field that describes a tool call: the command, the file, or the address, or null if its input has no such
 * field.
 */
export function tellingField(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const name of TELLING_FIELDS) {
    const value = fields.get(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}
