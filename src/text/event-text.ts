import { type ClaudeEvent, hookNoteOf, isAborted, readUserText, retryWords } from '../protocol/index.ts';
import { firstLine, toolGist } from './session-words.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

type Json = Readonly<Record<string, unknown>>;
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const blocks = (event: ClaudeEvent): Json[] => {
  const { content } = record(event.message);
  return Array.isArray(content) ? content.map(record) : [];
};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns a piece of the answer that the model is writing. The result is empty for any other event. */
export function textDelta(event: ClaudeEvent): string {
  if (event.type !== 'stream_event' || text(event.parent_tool_use_id) !== '') return '';
  const delta = record(record(event.event).delta);
  return delta.type === 'text_delta' ? cleanBlock(text(delta.text)) : '';
}

/** Returns the tool calls that an event announces, one per line, such as `● Bash: npm test`. */
export function toolLines(event: ClaudeEvent): string[] {
  if (event.type !== 'assistant') return [];
  return blocks(event)
    .filter((block) => block.type === 'tool_use')
    .map(
      (block) => `● ${[cleanLine(text(block.name)), toolGist(block.input)].filter((part) => part !== '').join(': ')}`,
    );
}

/**
 * Describes an event in one line. Returns null for events that mean nothing to users, such as pieces of an answer, or
 * signs of life.
 */
export function eventLine(event: ClaudeEvent): string | null {
  switch (event.type) {
    case 'user':
      return userLine(event);
    case 'assistant': {
      const said = blocks(event).map((block) => firstLine(text(block.text)));
      return [...said.filter((line) => line !== '').map((line) => `● ${line}`), ...toolLines(event)].join('\n') || null;
    }
    case 'control_request': {
      const request = record(event.request);
      if (request.subtype !== 'can_use_tool') return null;
      return `? ${cleanLine(text(request.tool_name))}: ${toolGist(request.input)}`;
    }
    case 'result':
      return resultLine(event);
    case 'system':
      return retryLine(event);
    case 'error':
      return `✗ ${cleanLine(text(event.message))}`;
    case 'raw':
      return `! ${cleanLine(text(event.content)).slice(0, 200)}`;
    default:
      return null;
  }
}

/** Returns a line about a request that failed and will be retried, or null for any other event. */
export function retryLine(event: ClaudeEvent): string | null {
  return event.subtype === 'api_retry' ? `… ${cleanLine(retryWords(event))}` : null;
}

/**
 * Returns why one of the user's own Stop hooks has rejected the answer, or null for any other event. Claude Code gives
 * the reason to the model as a message of the user (2.1.332).
 */
export function stopFeedback(event: ClaudeEvent): string | null {
  if (event.type !== 'user' || event.isSynthetic !== true || text(event.parent_tool_use_id) !== '') return null;
  const { content } = record(event.message);
  const said = typeof content === 'string' ? content : text(blocks(event)[0]?.text);
  const [heading, ...reason] = said.split('\n');
  return heading === 'Stop hook feedback:' ? firstLine(reason.join('\n')) : null;
}

function userLine(event: ClaudeEvent): string | null {
  if (event.isReplay === true) {
    const { content } = record(event.message);
    const said = readUserText(event, typeof content === 'string' ? content : text(blocks(event)[0]?.text));
    return said === null ? null : `${said.kind === 'prompt' ? '❯' : '  ⎿'} ${firstLine(said.text)}`;
  }
  const rejection = stopFeedback(event);
  if (rejection !== null) return `  ⎿ Stop hook: ${rejection}`;
  const result = blocks(event).find((block) => block.type === 'tool_result');
  if (result === undefined) return null;
  return `  ⎿ ${firstLine(text(result.content)) || (result.is_error === true ? 'failed' : 'done')}`;
}

/** Returns everything that Claude Code printed for a slash command. The result is empty for any other event. */
export function printedText(event: ClaudeEvent): string {
  if (event.type !== 'user') return '';
  const { content } = record(event.message);
  const said = typeof content === 'string' ? readUserText(event, content) : null;
  return said?.kind === 'note' ? cleanBlock(said.text) : '';
}

/** Reports whether an event is what a slash command has printed as an error. */
export function isCommandError(event: ClaudeEvent): boolean {
  const { content } = record(event.message);
  return event.type === 'user' && typeof content === 'string' && content.startsWith('<local-command-stderr>');
}

/** Returns a warning of Claude Code itself, such as `Unknown command: /nonsense`. Empty for any other event. */
export function warningText(event: ClaudeEvent): string {
  const isWarning = event.type === 'system' && event.subtype === 'informational' && event.level === 'warning';
  return isWarning ? cleanLine(text(event.content)) : '';
}

/** Returns the complete answer of a turn that succeeded. */
export function answerText(result: ClaudeEvent): string {
  return hasSucceeded(result) ? cleanBlock(text(result.result)).trimEnd() : '';
}

/** Returns why a turn failed, `interrupted` if somebody interrupted it, or `done` if it did not fail. */
export function outcomeOf(event: ClaudeEvent): string {
  const note = hookNoteOf(event);
  if (note !== null) return firstLine(note);
  const [first] = Array.isArray(event.errors) ? event.errors : [];
  if (event.is_error !== true) return 'done';
  // The error of an interrupted turn is a note of Claude Code for its own developers (2.1.330).
  const error = isAborted(event) ? 'interrupted' : text(first) || text(event.subtype);
  return firstLine(text(event.result) || error);
}

function resultLine(event: ClaudeEvent): string {
  const seconds = typeof event.duration_ms === 'number' ? `${(event.duration_ms / 1_000).toFixed(1)} s` : '';
  return [hasSucceeded(event) ? '✓' : '✗', outcomeOf(event), seconds].filter((part) => part !== '').join('  ');
}

/** Reports whether a turn with this outcome succeeded. */
export function hasSucceeded(event: ClaudeEvent): boolean {
  return event.type === 'result' && event.is_error !== true && hookNoteOf(event) === null;
}
