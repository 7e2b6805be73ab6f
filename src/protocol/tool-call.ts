/**
 * Fields of a tool's input that tell what a call of it does, the most telling first, as Claude Code's own dialogs show
 * them.
 */
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
 * What tells what a tool call does: the command, the file, the address. Null where its input has nothing of the kind.
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
