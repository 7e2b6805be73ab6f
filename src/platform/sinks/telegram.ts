import { z } from 'zod';
import { parseJson } from '../../protocol/index.ts';
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
  type SinkMemory,
  type SinkMessage,
} from './sink-driver.ts';

/** How many buttons fit one below another on a phone without hiding the message. */
const MOST_BUTTONS = 8;
/** How long Telegram holds a request for updates, in seconds. Its servers hold a request for at most 50 seconds. */
const POLL_S = 50;
/** After this many unused ids in a row, no further messages are expected. */
const PROBES = 3;
/** How many ids are checked in total. In a group, others write messages at the same time. */
const MOST_PROBES = 50;
/** The maximum length of a notice that can be shown over a button that was pressed. */
const LONGEST_TOAST = 200;

const Memory = z.object({
  /** the id of the next update to ask Telegram for */
  offset: z.number().default(0),
  /** the highest known id of a message in the chat */
  last: z.number().nullable().default(null),
  /**
   * the message being sent, the highest id that was known before the first attempt, the last id that was checked in the
   * search for the message since the last attempt, and how many of the last ids are unused
   */
  pending: z
    .object({ id: z.string(), after: z.number().nullable(), probed: z.number().nullable(), misses: z.number() })
    .nullable()
    .default(null),
});
type Memory = z.infer<typeof Memory>;

const Reply = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});
const SentMessage = z.object({ message_id: z.number(), chat: z.object({ id: z.number() }) });
const Update = z.object({
  update_id: z.number(),
  message: SentMessage.optional(),
  callback_query: z.object({ id: z.string(), data: z.string().optional(), message: SentMessage.optional() }).optional(),
});
type Update = z.infer<typeof Update>;

/**
 * A bot that writes to one chat and accepts button presses only there. Telegram has no idempotency keys. If it is
 * unknown whether a message arrived, CBOS tries to give the messages after the last known one the text of this message.
 * If Telegram reports that nothing has changed, the message has been found.
 */
export function openTelegram(options: { url: string; token: string; chat: string; memory: SinkMemory }): SinkDriver {
  const { token, chat } = options;
  const base = baseOf(options.url);
  const { remembered, remember, notice } = openMemory(options.memory);

  async function call(
    method: string,
    body: object,
    more: { signal?: AbortSignal; limitMs?: number } = {},
  ): Promise<ApiCall> {
    const reply = await request(`${base}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...more,
    });
    return callOf(reply);
  }

  async function send(message: SinkMessage): Promise<Attempt> {
    const { id, session } = message;
    if (session !== '') {
      const { pending, last } = remembered();
      const after = pending?.id === id ? pending.after : last;
      remember({ pending: { id, after, probed: null, misses: 0 } });
    }
    const called = await call('sendMessage', { chat_id: chat, ...contentOf(message) });
    if (called.kind !== 'ok') return attemptOf(called);
    const { data } = SentMessage.safeParse(called.result);
    if (data === undefined) return { kind: 'sent', remote: null };
    notice(data.message_id);
    return { kind: 'sent', remote: String(data.message_id) };
  }

  async function find(message: SinkMessage): Promise<Found> {
    const { pending } = remembered();
    // This is the first message ever. If the message did arrive after all, there will be two copies of it.
    if (pending?.id !== message.id || pending.after === null) return { kind: 'absent' };
    const { after } = pending;
    let { misses } = pending;
    for (let id = (pending.probed ?? after) + 1; misses < PROBES && id <= after + MOST_PROBES; id += 1) {
      const called = await call('editMessageText', { chat_id: chat, message_id: id, ...contentOf(message) });
      // The edit succeeded, so another message from this bot has been turned into this one.
      if (called.kind === 'ok' || /message is not modified/i.test(called.error)) {
        notice(id);
        return { kind: 'found', remote: String(id) };
      }
      if (called.kind !== 'failed' || !called.isOver) return { kind: 'unknown', error: called.error };
      misses = /not found|MESSAGE_ID_INVALID/i.test(called.error) ? misses + 1 : 0;
      remember({ pending: { ...pending, probed: id, misses } });
    }
    return { kind: 'absent' };
  }

  async function close(message: SinkMessage, remote: string | null, ended: string): Promise<Attempt> {
    if (remote === null) return { kind: 'sent', remote };
    const text = `${message.title}\n\n${message.body}\n\n${ended}`;
    const called = await call('editMessageText', { chat_id: chat, message_id: Number(remote), text });
    // The message already has this text, or someone has deleted it.
    if (called.kind === 'failed' && called.isOver) return { kind: 'sent', remote };
    return called.kind === 'ok' ? { kind: 'sent', remote } : attemptOf(called);
  }

  /** @returns why the updates could not be read; null if they were */
  async function takeUpdates(listening: Listening): Promise<string | null> {
    const { signal, onFault } = listening;
    const called = await call(
      'getUpdates',
      { offset: remembered().offset, timeout: POLL_S, allowed_updates: ['callback_query', 'message'] },
      { signal, limitMs: (POLL_S + 15) * 1_000 },
    );
    if (called.kind !== 'ok') return called.error;
    if (signal.aborted) return null;
    onFault(null);
    for (const update of z.array(Update).safeParse(called.result).data ?? []) {
      await takeUpdate(update, listening);
      remember({ offset: update.update_id + 1 });
    }
    return null;
  }

  async function takeUpdate({ message, callback_query: query }: Update, { onPress }: Listening): Promise<void> {
    if (message !== undefined && String(message.chat.id) === chat) notice(message.message_id);
    // Button presses in any other chat get no answer, not even a refusal.
    if (query === undefined || String(query.message?.chat.id) !== chat) return;
    const press = readPress(query.data);
    const said = press === null ? "This isn't a CBOS button." : await onPress(press);
    const { text, isDone } = typeof said === 'string' ? { text: said, isDone: false } : said;
    // If this does not arrive, the edited message still shows the outcome.
    await call('answerCallbackQuery', {
      callback_query_id: query.id,
      text: text.slice(0, LONGEST_TOAST),
      show_alert: !isDone,
    });
  }

  const to = `${originOf(base)}, chat ${chat}`;
  const listen = (listening: Listening): Promise<void> => keepListening(listening, () => takeUpdates(listening));
  return { to, mostButtons: MOST_BUTTONS, send, find, isSerial: true, close, listen };
}

const contentOf = ({ title, body, code, buttons }: SinkMessage): object => ({
  text: `${title}\n\n${body}`,
  link_preview_options: { is_disabled: true },
  reply_markup: {
    inline_keyboard: buttons.map(({ key, label }) => [{ text: label, callback_data: pressData(code, key) }]),
  },
});

function callOf(reply: HttpReply): ApiCall {
  if (reply.kind !== 'answered') return reply;
  const { data } = Reply.safeParse(parseJson(reply.text));
  if (data?.ok === true) return { kind: 'ok', result: data.result };
  // Either a proxy answered, or the server failed. The request may have been carried out.
  if (data === undefined || reply.status >= 500) return { kind: 'unsure', error: `HTTP ${reply.status}` };
  const seconds = data.parameters?.retry_after;
  const isOver = reply.status !== 429 && reply.status !== 409;
  const error = data.description ?? `HTTP ${reply.status}`;
  return { kind: 'failed', error, isOver, afterMs: seconds === undefined ? null : seconds * 1_000 };
}

function openMemory(store: SinkMemory) {
  let memory = Memory.safeParse(parseJson(store.read() ?? '{}')).data ?? { offset: 0, last: null, pending: null };
  const remember = (change: Partial<Memory>): void => {
    memory = { ...memory, ...change };
    store.write(JSON.stringify(memory));
  };
  return {
    remembered: (): Memory => memory,
    remember,
    /** Remembers the id of a message in the chat. */
    notice: (id: number): void => {
      if (memory.last === null || id > memory.last) remember({ last: id });
    },
  };
}
