import { type ClaudeEvent, hookNoteOf, readUserText, type StoredEvent, turnDollars } from '../../protocol/index.ts';

/**
 * One item in a conversation, with its time in Unix seconds. Items are replaced instead of being modified, which lets
 * the page determine what it must redraw.
 */
export type Item = { id: string; seq: number; isInside: boolean; at: number } & (
  | { kind: 'prompt'; text: string }
  | { kind: 'text'; text: string; isWriting: boolean }
  | { kind: 'thinking'; text: string; isWriting: boolean }
  | { kind: 'tool'; name: string; input: unknown; output: string | null; isError: boolean; isWriting: boolean }
  | { kind: 'end'; costUsd: number | null; durationMs: number | null; error: string | null }
  | { kind: 'note'; text: string; isBad: boolean }
);

/** The conversation that results from the events received so far. */
export interface Conversation {
  items: readonly Item[];
  /** the number of the last event, or 0 if there are no events */
  seq: number;
  /** the total cost so far in dollars, as reported by Claude Code, whose own total starts over with each new process */
  totalCostUsd: number;
}

export const EMPTY_CONVERSATION: Conversation = { items: [], seq: 0, totalCostUsd: 0 };

/**
 * Adds events to a conversation, in order, and returns the new conversation. Events that the conversation already
 * contains are ignored. Text that is being written grows piece by piece (`stream_event`), and is finally replaced by
 * the complete text (`assistant`). Event types that this version does not know are ignored.
 */
export function foldEvents(conversation: Conversation, events: readonly StoredEvent[]): Conversation {
  const draft = { ...conversation, items: [...conversation.items] };
  for (const stored of events) {
    if (stored.seq <= draft.seq) continue;
    draft.seq = stored.seq;
    fold(draft, stored);
  }
  return draft;
}

interface Draft {
  items: Item[];
  seq: number;
  totalCostUsd: number;
}

function fold(draft: Draft, { seq, timestamp, event }: StoredEvent): void {
  const place = { id: String(seq), seq, isInside: text(event.parent_tool_use_id) !== null, at: timestamp };
  switch (event.type) {
    case 'user':
      foldUser(draft, event, place);
      return;
    case 'assistant':
      for (const block of contentOf(event)) finishBlock(draft, block, place);
      return;
    case 'stream_event':
      foldPiece(draft, record(event.event), place);
      return;
    case 'result':
      foldResult(draft, event, place);
      return;
    case 'system':
      if (event.subtype === 'compact_boundary') {
        draft.items.push({ ...place, kind: 'note', text: 'The conversation was compacted', isBad: false });
      }
      return;
    case 'raw':
      draft.items.push({ ...place, kind: 'note', text: text(event.content) ?? '', isBad: false });
      return;
    case 'error':
      draft.items.push({ ...place, kind: 'note', text: text(event.message) ?? 'The process failed', isBad: true });
      return;
    default:
      return;
  }
}

type Place = Pick<Item, 'id' | 'seq' | 'isInside' | 'at'>;

function foldUser(draft: Draft, event: ClaudeEvent, place: Place): void {
  const { content } = record(event.message);
  const say = (words: string): void => {
    const said = readUserText(event, words);
    if (said === null || said.text === '') return;
    if (said.kind === 'note') draft.items.push({ ...place, kind: 'note', text: said.text, isBad: false });
    else draft.items.push({ ...place, kind: 'prompt', text: said.text });
  };
  if (typeof content === 'string') {
    say(content);
    return;
  }
  for (const block of contentOf(event)) {
    if (block.type === 'tool_result') {
      const index = draft.items.findLastIndex((item) => item.kind === 'tool' && item.id === block.tool_use_id);
      const tool = draft.items[index];
      if (tool?.kind === 'tool') {
        draft.items[index] = { ...tool, output: resultText(block.content), isError: block.is_error === true };
      }
    } else if (block.type === 'text') {
      say(text(block.text) ?? '');
    }
  }
}

/** The complete block replaces the pieces that have arrived so far. */
function finishBlock(draft: Draft, block: Record<string, unknown>, place: Place): void {
  const item = blockItem(block, { ...place, isWriting: false });
  if (item === null) return;
  const written = draft.items.findIndex((one) => 'isWriting' in one && one.isWriting && one.kind === item.kind);
  if (written === -1) draft.items.push(item);
  else draft.items[written] = item;
}

function blockItem(block: Record<string, unknown>, place: Place & { isWriting: boolean }): Item | null {
  switch (block.type) {
    case 'text':
      return { ...place, kind: 'text', text: text(block.text) ?? '' };
    case 'thinking':
      return { ...place, kind: 'thinking', text: text(block.thinking) ?? '' };
    case 'tool_use':
      return {
        ...place,
        id: text(block.id) ?? place.id,
        kind: 'tool',
        name: text(block.name) ?? 'a tool',
        input: block.input,
        output: null,
        isError: false,
      };
    default:
      return null;
  }
}

function foldPiece(draft: Draft, piece: Record<string, unknown>, place: Place): void {
  if (piece.type === 'content_block_start') {
    const item = blockItem(record(piece.content_block), { ...place, isWriting: true });
    if (item !== null) draft.items.push(item);
    return;
  }
  if (piece.type !== 'content_block_delta') return;
  const delta = record(piece.delta);
  const more = text(delta.text) ?? text(delta.thinking);
  if (more === null) return;
  const index = draft.items.findLastIndex((item) => 'isWriting' in item && item.isWriting);
  const item = draft.items[index];
  if (item?.kind === 'text' || item?.kind === 'thinking') draft.items[index] = { ...item, text: item.text + more };
}

function foldResult(draft: Draft, event: ClaudeEvent, place: Place): void {
  // The turn was stopped while Claude was writing these pieces, so they were never completed.
  draft.items = draft.items.map((item) =>
    'isWriting' in item && item.isWriting ? { ...item, isWriting: false } : item,
  );
  const total = number(event.total_cost_usd);
  const costUsd = total === null ? null : turnDollars(event, draft.totalCostUsd);
  if (total !== null) draft.totalCostUsd = total;
  const failure = event.is_error === true ? (text(event.result) ?? text(event.subtype) ?? 'The turn failed') : null;
  const error = hookNoteOf(event) ?? failure;
  draft.items.push({ ...place, kind: 'end', costUsd, durationMs: number(event.duration_ms), error });
}

/** Returns a tool result as text. A picture is represented by its name. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => text(record(part).text) ?? `[${text(record(part).type) ?? 'something'}]`).join('\n');
}

function contentOf(event: ClaudeEvent): Record<string, unknown>[] {
  const { content } = record(event.message);
  return Array.isArray(content) ? content.map(record) : [];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
