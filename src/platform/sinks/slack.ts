import { z } from 'zod';
import { parseJson } from '../../protocol/index.ts';
import { escapeMarkup } from '../../text/escape-markup.ts';
import { type ApiCall, attemptOf } from './api-call.ts';
import { baseOf, type HttpReply, originOf, request } from './http-request.ts';
import {
  type Attempt,
  type Found,
  keepListening,
  type Listening,
  pressData,
  readPress,
  type SinkDriver,
  type SinkMessage,
} from './sink-driver.ts';
import { openSlackSocket } from './slack-socket.ts';

/** How many buttons fit below a message without hiding it. Slack accepts up to 25. */
const MOST_BUTTONS = 8;
/** The maximum length of the text in one block. Slack refuses messages that contain longer blocks. */
const LONGEST_BLOCK = 3_000;
/** The type name of our metadata, which only programs see. */
const EVENT_TYPE = 'cbos_question';
/** By how much the clocks of two machines may differ. */
const SKEW_S = 120;
/** How many messages to read at once when searching for a message, and how many times. */
const PAGE = 200;
const MOST_PAGES = 25;

const Reply = z.object({ ok: z.boolean(), error: z.string().optional(), needed: z.string().optional() });
const Posted = z.object({ ts: z.string() });
const Opened = z.object({ url: z.string() });
const History = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      metadata: z
        .object({ event_type: z.string(), event_payload: z.object({ id: z.unknown() }).optional() })
        .optional(),
    }),
  ),
  response_metadata: z.object({ next_cursor: z.string() }).optional(),
});
const Pressed = z.object({
  type: z.literal('block_actions'),
  channel: z.object({ id: z.string() }),
  user: z.object({ id: z.string() }),
  actions: z.array(z.object({ value: z.string().optional() })),
});

/** Slack's errors for requests that were not carried out but may succeed later. */
const LATER: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'service_unavailable',
]);
/** Slack's errors for requests that may have been carried out. */
const UNSURE: ReadonlySet<string> = new Set(['fatal_error', 'internal_error', 'request_timeout']);

/**
 * An app that writes to one channel and accepts button presses only there. Button presses arrive over Socket Mode, a
 * WebSocket that CBOS opens, so CBOS opens no port to the network. Slack has no idempotency key for an app's messages.
 * Each message therefore contains its id as metadata. If it is unknown whether a message arrived, CBOS searches the
 * channel's history for that id.
 * @param options.appToken the token that opens the WebSocket, or null if the messages have no buttons
 */
export function openSlack(options: {
  url: string;
  token: string;
  appToken: string | null;
  channel: string;
}): SinkDriver {
  const { token, appToken, channel } = options;
  const base = baseOf(options.url);
  const find = createHistorySearch(channel, (query) => call('conversations.history', query, { isRead: true }));

  async function call(
    method: string,
    body: object,
    { bearer = token, isRead = false, signal }: { bearer?: string; isRead?: boolean; signal?: AbortSignal } = {},
  ): Promise<ApiCall> {
    const query = isRead ? `?${new URLSearchParams(body as Record<string, string>)}` : '';
    const reply = await request(`${base}/${method}${query}`, {
      method: isRead ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(isRead ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      },
      ...(isRead ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return callOf(reply);
  }

  async function send(message: SinkMessage): Promise<Attempt> {
    const metadata = { event_type: EVENT_TYPE, event_payload: { id: message.id } };
    const called = await call('chat.postMessage', { channel, ...contentOf(message), metadata });
    if (called.kind !== 'ok') return attemptOf(called);
    return { kind: 'sent', remote: Posted.safeParse(called.result).data?.ts ?? null };
  }

  async function close(message: SinkMessage, remote: string | null, ended: string): Promise<Attempt> {
    if (remote === null) return { kind: 'sent', remote };
    const closed = { ...message, body: `${message.body}\n\n${ended}`, buttons: [] };
    const called = await call('chat.update', { channel, ts: remote, ...contentOf(closed) });
    // Someone has deleted the message, or the app may no longer write to the channel.
    if (called.kind === 'failed' && called.isOver) return { kind: 'sent', remote };
    return called.kind === 'ok' ? { kind: 'sent', remote } : attemptOf(called);
  }

  /** @returns why the connection ended; null if Slack only replaces it */
  async function connect(appLevel: string, listening: Listening): Promise<string | null> {
    const { signal, onFault } = listening;
    const called = await call('apps.connections.open', {}, { bearer: appLevel, signal });
    if (called.kind !== 'ok') return called.error;
    const { data } = Opened.safeParse(called.result);
    if (data === undefined) return 'Slack returned no address';
    if (signal.aborted) return null;
    const end = await openSlackSocket(data.url, {
      isLocal: base.startsWith('http:'),
      signal,
      onOpen: () => onFault(null),
      onInteraction: (payload) => takeInteraction(payload, listening),
    });
    // Slack replaces each connection after a few hours, and announces that in advance.
    return end.fault;
  }

  async function takeInteraction(payload: unknown, { onPress }: Listening): Promise<void> {
    const { data } = Pressed.safeParse(payload);
    // Button presses in any other channel get no answer, not even a refusal.
    if (data === undefined || data.channel.id !== channel) return;
    const press = readPress(data.actions[0]?.value);
    const reply = press === null ? null : await onPress(press);
    // The edited message shows the answer that was given. Only if the press did nothing does it need an explanation.
    if (reply === null || reply.isDone) return;
    await call('chat.postEphemeral', { channel, user: data.user.id, text: escapeMarkup(reply.text) });
  }

  return {
    to: `${originOf(base)}, channel ${channel}`,
    mostButtons: MOST_BUTTONS,
    send,
    find,
    close,
    ...(appToken === null
      ? {}
      : { listen: (listening: Listening) => keepListening(listening, () => connect(appToken, listening)) }),
  };
}

/** Returns what searches a channel's history for a message. @param read reads one page of the history */
function createHistorySearch(
  channel: string,
  read: (query: Record<string, string>) => Promise<ApiCall>,
): (message: SinkMessage, since: number) => Promise<Found> {
  /** where a search was interrupted, so that the next search for the same message can continue from there */
  let search: { id: string; cursor: string } | null = null;
  return async ({ id }, since) => {
    const oldest = String(Math.floor(since / 1_000) - SKEW_S);
    let cursor = search?.id === id ? search.cursor : '';
    search = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const asked = { channel, oldest, limit: String(PAGE), include_all_metadata: 'true' };
      const called = await read(cursor === '' ? asked : { ...asked, cursor });
      if (called.kind !== 'ok') {
        search = { id, cursor };
        return { kind: 'unknown', error: called.error };
      }
      const { data } = History.safeParse(called.result);
      if (data === undefined) return { kind: 'unknown', error: "the channel's history cannot be read" };
      const found = data.messages.find(
        ({ metadata }) => metadata?.event_type === EVENT_TYPE && metadata.event_payload?.id === id,
      );
      if (found !== undefined) return { kind: 'found', remote: found.ts };
      cursor = data.response_metadata?.next_cursor ?? '';
      if (cursor === '') return { kind: 'absent' };
    }
    return { kind: 'unknown', error: 'the channel has too many new messages' };
  };
}

/**
 * Writes a message. Blocks of plain text show their content as it is, so that it can neither mention people nor hide a
 * link.
 */
function contentOf({ title, body, code, buttons }: SinkMessage): object {
  const section = (text: string): object => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } });
  const elements = buttons.map(({ key, label }) => ({
    type: 'button',
    action_id: `answer_${key}`,
    text: { type: 'plain_text', text: label, emoji: false },
    value: pressData(code, key),
  }));
  return {
    // Notifications and screen readers use this text, in which Slack would interpret commands such as `<!channel>`.
    text: escapeMarkup(title),
    blocks: [
      ...[title, ...partsOf(body)].map(section),
      ...(elements.length === 0 ? [] : [{ type: 'actions', elements }]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Splits text into parts that fit into a block. No part is empty, because Slack refuses empty blocks. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (const character of text) {
    if (part.length + character.length > LONGEST_BLOCK) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return part.trim() === '' ? parts : [...parts, part];
}

function callOf(reply: HttpReply): ApiCall {
  if (reply.kind !== 'answered') return reply;
  const { status, text, retryAfterMs } = reply;
  if (status === 429) return { kind: 'failed', error: 'HTTP 429', afterMs: retryAfterMs, isOver: false };
  const body = parseJson(text);
  const { data } = Reply.safeParse(body);
  // Either a proxy answered, or the server failed. The request may have been carried out.
  if (data === undefined || status >= 500) return { kind: 'unsure', error: `HTTP ${status}` };
  if (data.ok) return { kind: 'ok', result: body };
  const { error = `HTTP ${status}`, needed } = data;
  if (UNSURE.has(error)) return { kind: 'unsure', error };
  const shown = needed === undefined ? error : `${error}: ${needed}`;
  return { kind: 'failed', error: shown, afterMs: retryAfterMs, isOver: !LATER.has(error) };
}
