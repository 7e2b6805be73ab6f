import { type Question, tellingField } from '../../protocol/index.ts';

/**
 * Fields that only describe a call for a person, and that the model words anew each time. A tool of an MCP server may
 * have a `description` that is its content, so only tools of Claude Code are listed.
 */
const DESCRIBING: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['Bash', 'PowerShell', 'Agent', 'Task'].map((tool) => [tool, new Set(['description'])]),
);

/** Longer than what a list shows or a person searches for. */
const MOST_ABOUT = 2_000;

/** Returns a text that two calls share exactly if they ask for the same: the tool, and its input in a fixed order. */
export function askedKey({ name, input }: { name: string; input: unknown }): string {
  const describing = DESCRIBING.get(name);
  const told =
    describing === undefined || !isRecord(input)
      ? input
      : Object.fromEntries(Object.entries(input).filter(([field]) => !describing.has(field)));
  return JSON.stringify([name, inOrder(told ?? null)]);
}

/** Orders the fields of all objects in a value. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  // Pairs, because an object would put fields with numbers as names first, and lose `__proto__`.
  return { fields: fields.map(([name, one]) => [name, inOrder(one)]) };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the part of a question by which a person recognises it: the command, the file, or the text. */
export function aboutOf({ kind, tool, text, questions }: Question): string {
  const asked = kind === 'question' ? questions.map((part) => part.text).join(' / ') || text : null;
  const about = asked ?? tellingField(tool?.input) ?? JSON.stringify(tool?.input ?? text);
  return about.slice(0, MOST_ABOUT);
}
