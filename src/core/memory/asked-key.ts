import { type Question, tellingField } from '../../protocol/index.ts';

/**
 * Fields that only describe a call to the user, and that the model words differently each time. Only Claude Code's own
 * tools are listed, because in an MCP server's tool, `description` may be real content.
 */
const DESCRIBING: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['Bash', 'PowerShell', 'Agent', 'Task'].map((tool) => [tool, new Set(['description'])]),
);

/** The maximum length of this part, which is longer than anything that a list shows or a user searches for. */
const MOST_ABOUT = 2_000;

/**
 * Returns a string that is equal for two calls if and only if they ask for the same thing. It consists of the tool and
 * its input in a fixed order.
 */
export function askedKey({ name, input }: { name: string; input: unknown }): string {
  const describing = DESCRIBING.get(name);
  const told =
    describing === undefined || !isRecord(input)
      ? input
      : Object.fromEntries(Object.entries(input).filter(([field]) => !describing.has(field)));
  return JSON.stringify([name, inOrder(told ?? null)]);
}

/** Sorts the fields of all objects within a value. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  // The fields are returned as pairs, because an object would put numeric field names first and would lose `__proto__`.
  return { fields: fields.map(([name, one]) => [name, inOrder(one)]) };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the part of a question by which a user recognizes it: the command, the file, or the wording. */
export function aboutOf({ kind, tool, text, questions }: Question): string {
  const asked = kind === 'question' ? questions.map((part) => part.text).join(' / ') || text : null;
  const about = asked ?? tellingField(tool?.input) ?? JSON.stringify(tool?.input ?? text);
  return about.slice(0, MOST_ABOUT);
}
