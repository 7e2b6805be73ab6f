import type { SearchKind } from '../../protocol/index.ts';

/** A piece of text from a conversation, in the form in which the search index stores it. */
export interface SaidText {
  kind: Exclude<SearchKind, 'screen'>;
  text: string;
  /**
   * what distinguishes this entry from all others in its conversation, such as the id of a tool call, or null if
   * nothing does
   */
  key: string | null;
}

/**
 * How many characters of each entry are kept. A file that a tool wrote is also on disk, and its beginning is enough to
 * find it.
 */
const LONGEST_TEXT = 16_000;
/** How deeply values are searched for strings. No known tool has an input that is nested more deeply. */
const DEEPEST = 6;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the text that a hook's payload contains: prompts, answers, and tool calls. */
export function textsOfHook(event: string, payload: Fields): SaidText[] {
  switch (event) {
    case 'UserPromptSubmit':
      return said('prompt', payload.prompt);
    case 'Stop':
    case 'StopFailure':
      return said('answer', payload.last_assistant_message);
    case 'PreToolUse':
      return call(payload.tool_name, payload.tool_input, payload.tool_use_id);
    default:
      return [];
  }
}

/**
 * Returns the text in a transcript line or in a stream-json event from Claude Code. Both contain messages of the
 * Messages API under `message`. Messages that Claude Code itself writes in the user's name (`isMeta`, the output of its
 * own commands) are omitted.
 * @param options.results whether to include tool results, for sessions without a screen that shows them
 */
export function textsOfMessage(record: unknown, options: { results: boolean } = { results: false }): SaidText[] {
  if (!isFields(record) || !isFields(record.message) || record.isMeta === true || record.isSynthetic === true)
    return [];
  const { content } = record.message;
  if (record.type === 'assistant') return blocksOf(content).flatMap(ofAssistant);
  if (record.type !== 'user') return [];
  // In a subagent's conversation, the prompts are written by Claude Code itself.
  const isPerson = record.isSidechain !== true && typeof record.parent_tool_use_id !== 'string';
  return blocksOf(content).flatMap((block) => {
    if (block.type === 'text') return isPerson && !isOwnCommand(block.text) ? said('prompt', block.text) : [];
    return options.results && block.type === 'tool_result' ? result(block) : [];
  });
}

function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isFields) : [];
}

function ofAssistant(block: Fields): SaidText[] {
  if (block.type === 'text') return said('answer', block.text);
  return block.type === 'tool_use' ? call(block.name, block.input, block.id) : [];
}

/**
 * Reports whether text belongs to one of Claude Code's own commands: `<command-name>/model</command-name>`,
 * `<local-command-stdout>…` (2.0 to 2.1.329).
 */
function isOwnCommand(text: unknown): boolean {
  return typeof text === 'string' && /^<(?:command|local-command|bash)-[a-z]+>/.test(text);
}

function said(kind: 'prompt' | 'answer', text: unknown): SaidText[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ kind, text: cut(text), key: null }] : [];
}

function call(name: unknown, input: unknown, id: unknown): SaidText[] {
  if (typeof name !== 'string') return [];
  return [{ kind: 'tool', text: cut([name, ...stringsIn(input)].join('\n')), key: typeof id === 'string' ? id : null }];
}

function result({ content, tool_use_id: id }: Fields): SaidText[] {
  const text = stringsIn(content).join('\n');
  return text === '' ? [] : [{ kind: 'tool', text: cut(text), key: typeof id === 'string' ? `${id}.result` : null }];
}

/** Returns all the strings in a value, in order. */
function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return [];
  // Image data contains no text.
  if (isFields(value) && value.type === 'image') return [];
  if (isFields(value) && value.type === 'text') return stringsIn(value.text, depth + 1);
  return Object.values(value).flatMap((part) => stringsIn(part, depth + 1));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}
