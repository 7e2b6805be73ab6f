import type { Block } from '../scenes/scene.ts';

/** How many characters of a message one delta contains, which is about as many as the real service sends. */
const CHUNK_CHARS = 12;
const DEFAULT_CHUNK_DELAY_MS = 25;

/** The signature of a thinking block. Claude Code stores it and sends it back without looking at it. */
const SIGNATURE = 'c3RhbmQtaW4=';

/** A server-sent event of a streamed message, and how long to wait before sending it. */
export interface TimedEvent {
  delayMs: number;
  event: { type: string } & Record<string, unknown>;
}

export interface MessageHead {
  id: string;
  model: string;
  inputTokens: number;
}

export function stopReasonOf(blocks: readonly Block[]): 'tool_use' | 'end_turn' {
  return blocks.some((block) => block.kind === 'tool') ? 'tool_use' : 'end_turn';
}

/**
 * Returns the id of a tool call. It is derived from the message, so that the stand-in does not have to remember
 * conversations.
 */
function toolUseId(messageId: string, index: number): string {
  return `toolu_${messageId.replace('msg_', '')}_${index}`;
}

function split(text: string): string[] {
  const characters = Array.from(text);
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; at += CHUNK_CHARS)
    chunks.push(characters.slice(at, at + CHUNK_CHARS).join(''));
  return chunks;
}

/** Estimates the number of tokens, at four characters per token. */
function tokensOf(blocks: readonly Block[]): number {
  const size = blocks.reduce(
    (sum, block) => sum + (block.kind === 'tool' ? JSON.stringify(block.input) : block.text).length,
    0,
  );
  return Math.max(1, Math.ceil(size / 4));
}

function* blockEvents(block: Block, index: number, messageId: string): Generator<TimedEvent> {
  const start = (contentBlock: object): TimedEvent => ({
    delayMs: 0,
    event: { type: 'content_block_start', index, content_block: contentBlock },
  });
  const delta = (change: object, delayMs: number): TimedEvent => ({
    delayMs,
    event: { type: 'content_block_delta', index, delta: change },
  });
  switch (block.kind) {
    case 'text':
      yield start({ type: 'text', text: '' });
      for (const text of split(block.text)) {
        yield delta({ type: 'text_delta', text }, block.chunkDelayMs ?? DEFAULT_CHUNK_DELAY_MS);
      }
      break;
    case 'thinking':
      yield start({ type: 'thinking', thinking: '', signature: '' });
      for (const thinking of split(block.text)) {
        yield delta({ type: 'thinking_delta', thinking }, block.chunkDelayMs ?? DEFAULT_CHUNK_DELAY_MS);
      }
      yield delta({ type: 'signature_delta', signature: SIGNATURE }, 0);
      break;
    case 'tool':
      yield start({ type: 'tool_use', id: toolUseId(messageId, index), name: block.name, input: {} });
      for (const partial of split(JSON.stringify(block.input))) {
        yield delta({ type: 'input_json_delta', partial_json: partial }, 0);
      }
      break;
  }
  yield { delayMs: 0, event: { type: 'content_block_stop', index } };
}

/** Returns the events of a streamed answer, in the same order and format as the real service. */
export function* streamEvents(head: MessageHead, blocks: readonly Block[]): Generator<TimedEvent> {
  const usage = { input_tokens: head.inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  yield {
    delayMs: 0,
    event: {
      type: 'message_start',
      message: {
        id: head.id,
        type: 'message',
        role: 'assistant',
        model: head.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    },
  };
  for (const [index, block] of blocks.entries()) yield* blockEvents(block, index, head.id);
  yield {
    delayMs: 0,
    event: {
      type: 'message_delta',
      delta: { stop_reason: stopReasonOf(blocks), stop_sequence: null },
      usage: { ...usage, output_tokens: tokensOf(blocks) },
    },
  };
  yield { delayMs: 0, event: { type: 'message_stop' } };
}

/** Returns an answer as a single JSON body, for requests without streaming. */
export function wholeMessage(head: MessageHead, blocks: readonly Block[]): Record<string, unknown> {
  return {
    id: head.id,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content: blocks.map((block, index) => wholeBlock(block, toolUseId(head.id, index))),
    stop_reason: stopReasonOf(blocks),
    stop_sequence: null,
    usage: { input_tokens: head.inputTokens, output_tokens: tokensOf(blocks) },
  };
}

function wholeBlock(block: Block, id: string): Record<string, unknown> {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: SIGNATURE };
    case 'tool':
      return { type: 'tool_use', id, name: block.name, input: block.input };
  }
}
