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
/** How much of an answer's end is kept of a hook's report. */
const REPORTED_CHARS = 4_000;

/**
 * Reads the answer of a terminal session to a prompt from the transcript of its conversation. A hook reports only the
 * end of a long answer, and it may already report the answer of a later turn.
 * @param turn.message the end of the newest answer, as a hook reported it
 * @param turn.isNewest whether the newest answer is the one to the prompt, if the transcript does not show the prompt
 * because a running turn took it in
 * @returns an empty string if the answer is not known
 */
export async function readTurnAnswer(
  client: Caller,
  { slug, prompted, message, isNewest }: { slug: string; prompted: Prompted; message: string; isNewest: boolean },
): Promise<string> {
  const beganAt = performance.now();
  for (;;) {
    const { events } = await client.call('transcript', { params: { slug }, query: {} });
    const found = answerTo(events, prompted);
    if (found !== null && (found.isFollowed || found.text.trim().endsWith(message.trim()))) return found.text;
    const waited = performance.now() - beganAt;
    if (found !== null && waited > WRITTEN_MS) return found.text;
    if (found === null && waited > PROMPT_WRITTEN_MS) return isNewest ? newestAnswer(events, message) : '';
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
  const after = events.slice(begin + 1);
  const end = after.findIndex(({ event }) => promptIn(event) !== null);
  return { text: lastMessageIn(end < 0 ? after : after.slice(0, end)), isFollowed: end >= 0 };
}

/** Completes the end of the newest answer from the transcript. If it is not there, it stays a part. */
export function newestAnswer(events: readonly StoredEvent[], message: string): string {
  const newest = lastMessageIn(events);
  if (newest.trim().endsWith(message.trim())) return newest;
  return message.length < REPORTED_CHARS ? message : `…${message}`;
}

/** Returns the last message of the model with all its blocks, or an empty string. */
function lastMessageIn(stored: readonly StoredEvent[]): string {
  const events = stored.map(({ event }) => event);
  const last = events.findLast((event) => textIn(event) !== '');
  const ofLast = events.filter((event) => last !== undefined && idOf(event) === idOf(last));
  return ofLast.map(textIn).filter(Boolean).join('\n');
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
