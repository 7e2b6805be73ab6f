import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../client/index.ts';
import { type ClaudeEvent, readUserText, type StoredEvent } from '../protocol/index.ts';

/** The prompt whose answer is wanted. */
export interface Prompted {
  text: string;
  /** when the server accepted it */
  createdAt: string;
}

/**
 * How long to wait for a transcript. Claude Code writes to it about 100 ms after the end of the turn, or later on a
 * loaded machine.
 */
const WRITTEN_MS = 2_000;
/** How long to wait for the prompt itself. A prompt that a running turn takes in is not written as a prompt. */
const PROMPT_WRITTEN_MS = 500;
const LOOK_MS = 50;

/**
 * Reads the answer of a terminal session to a prompt from the transcript of its conversation. A hook reports only the
 * end of a long answer, and it may already report the answer of a later turn.
 * @param message the end of the newest answer, as a hook reported it
 * @returns null if the transcript does not show the prompt
 */
export async function readTurnAnswer(
  client: Caller,
  { slug, prompted, message }: { slug: string; prompted: Prompted; message: string },
): Promise<string | null> {
  const beganAt = performance.now();
  for (;;) {
    const { events } = await client.call('transcript', { params: { slug }, query: {} });
    const found = answerTo(events, prompted);
    if (found !== null && (found.isFollowed || found.text.trim().endsWith(message.trim()))) return found.text;
    const waited = performance.now() - beganAt;
    if (waited > (found === null ? PROMPT_WRITTEN_MS : WRITTEN_MS)) return found?.text ?? null;
    await delay(LOOK_MS);
  }
}

/**
 * Returns the last message of the turn that a prompt began, as far as it has been written, and whether another turn
 * followed; null if the transcript does not contain the prompt.
 */
export function answerTo(
  events: readonly StoredEvent[],
  { text, createdAt }: Prompted,
): { text: string; isFollowed: boolean } | null {
  const from = Date.parse(createdAt) / 1_000;
  const wanted = inOneLine(text);
  const begin = events.findIndex(
    ({ timestamp, event }) => timestamp >= from && inOneLine(promptIn(event) ?? '') === wanted,
  );
  if (begin < 0) return null;
  const after = events.slice(begin + 1).map(({ event }) => event);
  const end = after.findIndex((event) => promptIn(event) !== null);
  const turn = end < 0 ? after : after.slice(0, end);
  const last = turn.findLast((event) => textIn(event) !== '');
  const ofLast = turn.filter((event) => last !== undefined && idOf(event) === idOf(last));
  return { text: ofLast.map(textIn).filter(Boolean).join('\n'), isFollowed: end >= 0 };
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const messageIn = ({ message }: ClaudeEvent): { id?: unknown; content?: unknown } =>
  typeof message === 'object' && message !== null ? message : {};

/** Claude Code writes each block of a message as an event of its own. */
const idOf = (event: ClaudeEvent): unknown => messageIn(event).id ?? event.uuid;

/** Returns the prompt that an event contains, also one that Claude Code itself gives to the model; otherwise null. */
function promptIn(event: ClaudeEvent): string | null {
  if (event.type !== 'user' || event.parent_tool_use_id !== null) return null;
  const { content } = messageIn(event);
  const text = typeof content === 'string' ? content : textsOf(content).join('\n');
  if (text === '') return null;
  const said = readUserText(event, text);
  return said?.kind === 'prompt' ? said.text : null;
}

function textIn(event: ClaudeEvent): string {
  if (event.type !== 'assistant' || event.parent_tool_use_id !== null) return '';
  return textsOf(messageIn(event).content).join('\n');
}

function textsOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { type?: unknown; text?: unknown }) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
}
