import type { ClaudeEvent, StoredEvent } from '../../protocol/index.ts';

/** How many characters of an answer are stored with a review round. The conversation contains the whole answer. */
const MOST_ANSWER_CHARS = 20_000;

export interface RoundAnswer {
  /** the last text of the turn, or null if there is none yet */
  text: string | null;
  /** whether another prompt follows, which means that the turn has ended */
  isOver: boolean;
}

type Json = Readonly<Record<string, unknown>>;
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/**
 * Finds the answer to a prompt in the events of a session's conversation.
 * @returns null if the events do not contain the prompt
 */
export function answerTo(prompt: string, events: readonly StoredEvent[]): RoundAnswer | null {
  const wanted = collapsed(prompt);
  const at = events.findLastIndex(({ event }) => collapsed(promptOf(event) ?? '').includes(wanted));
  if (at === -1) return null;
  let text: string | null = null;
  for (const { event } of events.slice(at + 1)) {
    if (promptOf(event) !== null) return { text, isOver: true };
    text = saidIn(event) ?? text;
  }
  return { text, isOver: false };
}

/** Claude Code may change the spaces and line breaks in a prompt. */
const collapsed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns the text of a prompt, or null for any other event, including a tool's results. */
function promptOf(event: ClaudeEvent): string | null {
  if (event.type !== 'user' || event.isSynthetic === true) return null;
  const { content } = record(event.message);
  if (typeof content === 'string') return isSaidByUser(content) ? content : null;
  if (!Array.isArray(content)) return null;
  const texts = content
    .map(record)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : []));
  const all = texts.join('\n');
  return texts.length > 0 && isSaidByUser(all) ? all : null;
}

/** Claude Code records an interrupt in the conversation as if it were a message from the user. */
const isSaidByUser = (text: string): boolean => !text.startsWith('[Request interrupted');

/** Returns text that the session itself wrote, as opposed to text from one of its agents. */
function saidIn(event: ClaudeEvent): string | null {
  if (event.type !== 'assistant' || typeof event.parent_tool_use_id === 'string') return null;
  const { content } = record(event.message);
  if (!Array.isArray(content)) return null;
  const said = content
    .map(record)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : []))
    .join('\n')
    .trim();
  return said === '' ? null : said.slice(0, MOST_ANSWER_CHARS);
}
