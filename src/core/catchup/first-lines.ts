import type { StoredEvent } from '../../protocol/index.ts';

const MOST_LINES = 3;
const MOST_CHARACTERS = 400;

/** Returns the first non-empty lines of a reply, or null if there are none. */
export function firstLines(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MOST_LINES).join('\n');
  const isCut = lines.length > MOST_LINES || shown.length > MOST_CHARACTERS;
  return shown === '' ? null : `${shown.slice(0, MOST_CHARACTERS)}${isCut ? ' …' : ''}`;
}

/**
 * Returns the last text that Claude has written in a conversation since a given time. @param since the time, in Unix
 * milliseconds
 */
export function lastReply(events: readonly StoredEvent[], since: number): string | null {
  for (const { event, timestamp } of events.toReversed()) {
    if (timestamp * 1_000 < since) return null;
    const content = (event.message as { content?: unknown } | undefined)?.content;
    if (event.type !== 'assistant' || !Array.isArray(content)) continue;
    const text = content.flatMap((block: unknown) => textOf(block) ?? []).join('\n');
    if (text.trim() !== '') return text;
  }
  return null;
}

function textOf(block: unknown): string | null {
  if (typeof block !== 'object' || block === null || Reflect.get(block, 'type') !== 'text') return null;
  const text: unknown = Reflect.get(block, 'text');
  return typeof text === 'string' ? text : null;
}
