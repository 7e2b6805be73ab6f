/** The fields of a tool's input that best describe a call, most specific first, as in Claude Code's own dialogs. */
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
 * Returns the field that best describes a tool call, such as the command, file, or address. Returns null if the input
 * has no such field.
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
