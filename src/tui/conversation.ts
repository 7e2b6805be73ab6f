import { type ClaudeEvent, readUserText } from '../protocol/index.ts';
import { hasSucceeded } from '../text/event-text.ts';
import { toolGist } from '../text/session-words.ts';
import { cleanBlock, cleanLine } from '../text/terminal-text.ts';

/** A piece of a JSON session's conversation. Its text has not been cleaned. */
export type Piece =
  | { kind: 'prompt' | 'text' | 'thinking' | 'error' | 'note'; text: string }
  | { kind: 'tool'; name: string; gist: string; result: string | null; isError: boolean };

/**
 * How many pieces to keep. No one scrolls further back in a pane, and older pieces are still in the events and in the
 * transcript.
 */
const MOST_PIECES = 1_000;

/** A conversation, as the pane shows it. Each event is added only once, no matter how or how often it arrives. */
export class Conversation {
  readonly pieces: Piece[] = [];
  /** the text that is being written at the moment, until the complete block has arrived */
  partial: { kind: 'text' | 'thinking'; text: string } | null = null;
  #last = 0;
  readonly #tools = new Map<string, Piece & { kind: 'tool' }>();

  /** the number of the last event */
  get last(): number {
    return this.#last;
  }

  /** @returns false if the event had already been added */
  add(seq: number, event: ClaudeEvent): boolean {
    if (seq <= this.#last) return false;
    this.#last = seq;
    // The conversation of a subagent is not part of this one.
    if (typeof event.parent_tool_use_id === 'string') return true;
    this.#read(event);
    if (this.pieces.length > MOST_PIECES) this.pieces.splice(0, this.pieces.length - MOST_PIECES);
    return true;
  }

  #read(event: ClaudeEvent): void {
    switch (event.type) {
      case 'user':
        for (const block of blocksOf(event)) this.#readOfUser(event, block);
        return;
      case 'assistant':
        this.partial = null;
        for (const block of blocksOf(event)) this.#readOfAssistant(block);
        return;
      case 'stream_event':
        this.#readDelta(event.event);
        return;
      case 'result':
        this.partial = null;
        if (!hasSucceeded(event) && typeof event.result === 'string') this.#push('error', event.result);
        return;
      case 'error':
        this.#push('error', textOf(event.message));
        return;
      case 'raw':
        this.#push('note', textOf(event.content));
        return;
      case 'system':
        if (event.subtype === 'compact_boundary') this.#push('note', 'the conversation was compacted');
        return;
    }
  }

  #readOfUser(event: ClaudeEvent, block: Fields): void {
    const said = block.type === 'text' ? readUserText(event, textOf(block.text)) : null;
    if (said !== null) this.#push(said.kind, said.text);
    const tool = block.type === 'tool_result' ? this.#tools.get(textOf(block.tool_use_id)) : undefined;
    if (tool === undefined) return;
    tool.result = textOf(block.content);
    tool.isError = block.is_error === true;
  }

  #readOfAssistant(block: Fields): void {
    if (block.type === 'text') this.#push('text', textOf(block.text));
    if (block.type === 'thinking') this.#push('thinking', textOf(block.thinking));
    if (block.type !== 'tool_use') return;
    const tool = {
      kind: 'tool' as const,
      name: textOf(block.name),
      gist: toolGist(block.input),
      result: null,
      isError: false,
    };
    this.pieces.push(tool);
    this.#tools.set(textOf(block.id), tool);
  }

  #readDelta(event: unknown): void {
    const { type, delta } = fieldsOf(event);
    if (type === 'message_start') this.partial = null;
    const { text, thinking } = fieldsOf(delta);
    const kind = typeof text === 'string' ? 'text' : 'thinking';
    const added = textOf(text ?? thinking);
    if (type !== 'content_block_delta' || added === '') return;
    this.partial = { kind, text: this.partial?.kind === kind ? this.partial.text + added : added };
  }

  #push(kind: Exclude<Piece['kind'], 'tool'>, text: string): void {
    const clean = cleanBlock(text).trim();
    const last = this.pieces.at(-1);
    // If a turn fails, its error is reported twice: as the last answer and as the result.
    const isRepeated = kind === 'error' && last?.kind === 'text' && last.text === clean;
    if (clean === '') return;
    if (isRepeated) this.pieces.pop();
    this.pieces.push({ kind, text: clean });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the blocks of a message. Plain text is returned as a single block. */
function blocksOf(event: ClaudeEvent): Fields[] {
  const { content } = fieldsOf(event.message);
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

/** Returns content as text: either the text itself, or the text of all its blocks. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map((block) => textOf(fieldsOf(block).text)).join('\n') : '';
}

/** Returns the first line of a tool's output, and the number of lines. */
export function resultGist(result: string): string {
  const lines = cleanBlock(result).trim().split('\n');
  const first = cleanLine(lines[0] ?? '');
  return lines.length > 1 ? `${first} … ${lines.length} lines` : first;
}
