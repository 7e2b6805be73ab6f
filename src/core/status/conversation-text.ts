import { type ClaudeEvent, hookNoteOf, readUserText } from '../../protocol/index.ts';
import { describeTool } from './asked-call.ts';

/** How many lines of a tool result are shown. Claude Code shortens results on the screen in the same way. */
const RESULT_LINES = 4;

type Json = Readonly<Record<string, unknown>>;
const blocksOf = (content: unknown): Json[] =>
  Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns the lines that an event adds to the conversation, or an empty list if the event is not part of the
 * conversation.
 */
export function conversationLines(event: ClaudeEvent): string[] {
  const content = (event.message as { content?: unknown } | undefined)?.content;
  switch (event.type) {
    case 'user':
      if (event.isReplay === true) return userLines(event, typeof content === 'string' ? content : plain(content));
      return blocksOf(content)
        .filter((block) => block.type === 'tool_result')
        .flatMap((block) => folded(plain(block.content)));
    case 'assistant':
      return blocksOf(content).flatMap((block) => {
        if (block.type === 'text') return ['', ...marked('●', textOf(block.text))];
        if (block.type !== 'tool_use') return [];
        return ['', ...marked('●', describeTool({ name: textOf(block.name), input: block.input }))];
      });
    case 'result': {
      const note = hookNoteOf(event);
      if (note !== null) return ['', ...marked('✗', note)];
      return event.is_error === true && typeof event.result !== 'string' ? ['', '✗ the turn failed'] : [];
    }
    case 'error':
      return ['', ...marked('✗', textOf(event.message))];
    case 'raw':
      return marked('?', textOf(event.content));
    default:
      return [];
  }
}

function userLines(event: ClaudeEvent, text: string): string[] {
  const said = readUserText(event, text);
  if (said === null) return [];
  return said.kind === 'prompt' ? ['', ...marked('❯', said.text)] : folded(said.text);
}

/** Matches the types of events that add lines to the conversation. */
export const CONVERSATION_TYPES: readonly string[] = ['user', 'assistant', 'result', 'error', 'raw'];

function plain(content: unknown): string {
  return typeof content === 'string'
    ? content
    : blocksOf(content)
        .map((block) => (block.type === 'text' ? textOf(block.text) : `[${textOf(block.type)}]`))
        .join('\n');
}

function marked(mark: string, text: string): string[] {
  return text.split('\n').map((line, index) => (index === 0 ? `${mark} ${line}` : `  ${line}`));
}

function folded(text: string): string[] {
  const lines = text.split('\n');
  const more = lines.length - RESULT_LINES;
  const shown = [...lines.slice(0, RESULT_LINES), ...(more > 0 ? [`… +${more} lines`] : [])];
  return shown.map((line, index) => (index === 0 ? `  ⎿  ${line}` : `     ${line}`));
}
