import { z } from 'zod';
import { parseJson } from '../../protocol/index.ts';
import { baseOf, causeOf, type HttpReply, originOf, request } from './http-request.ts';
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

/** How many buttons the ntfy apps show. */
const MOST_BUTTONS = 3;
const HIGH = 4;
const LOWEST = 1;
/** By how much the clocks of two machines may differ. */
const SKEW_S = 120;
/** How long a connection may be silent before it counts as dead. ntfy sends a keepalive every 45 seconds. */
const SILENCE_MS = 120_000;
/** The maximum length of a line, which is longer than any line for a button press. */
const LONGEST_LINE = 10_000;

const Event = z.object({
  id: z.string(),
  event: z.string(),
  time: z.number().optional(),
  message: z.string().optional(),
  sequence_id: z.string().optional(),
  actions: z.array(z.object({ body: z.string().optional() })).optional(),
});

/**
 * Publishes messages on a topic. A button posts to a second topic to which CBOS subscribes and whose name no one can
 * guess, so CBOS opens no port to the network. The id of a message also serves as ntfy's sequence id. From ntfy 2.16
 * on, a message that is published twice replaces the first copy, and a message can be deleted.
 */
export function openNtfy(options: {
  url: string;
  topic: string;
  /** the topic to which the buttons post */
  replies: string;
  token: string | null;
  memory: SinkMemory;
  now(): number;
}): SinkDriver {
  const { topic, replies, token, memory, now } = options;
  const base = baseOf(options.url);
  const signed = token === null ? {} : { authorization: `Bearer ${token}` };
  const publish = (message: object): Promise<HttpReply> =>
    request(`${base}/`, {
      method: 'POST',
      headers: { ...signed, 'content-type': 'application/json' },
      body: JSON.stringify({ topic, ...message }),
    });

  async function send({ id, code, title, body, buttons }: SinkMessage): Promise<Attempt> {
    const actions = buttons.map(({ key, label }) => ({
      action: 'http',
      label,
      url: `${base}/${replies}`,
      method: 'POST',
      body: pressData(code, key),
      clear: true,
    }));
    return attemptOf(await publish({ title, message: body, priority: HIGH, sequence_id: id, actions }));
  }

  async function find({ id, code }: SinkMessage, since: number): Promise<Found> {
    const from = Math.floor(since / 1_000) - SKEW_S;
    const reply = await request(`${base}/${topic}/json?poll=1&since=${from}`, { method: 'GET', headers: signed });
    if (reply.kind !== 'answered') return { kind: 'unknown', error: reply.error };
    if (reply.status !== 200) return { kind: 'unknown', error: `HTTP ${reply.status}` };
    const isIt = (line: string): boolean => {
      const { data } = Event.safeParse(parseJson(line));
      // Servers before 2.16 have no sequence ids, but only our messages have these buttons.
      return data?.sequence_id === id || data?.actions?.some((action) => action.body?.startsWith(`${code}.`)) === true;
    };
    return reply.text.split('\n').some(isIt) ? { kind: 'found', remote: null } : { kind: 'absent' };
  }

  async function close({ id }: SinkMessage): Promise<Attempt> {
    const reply = await request(`${base}/${topic}/${id}`, { method: 'DELETE', headers: signed });
    // Servers before 2.16 cannot delete messages.
    if (reply.kind === 'answered' && reply.status >= 400 && reply.status < 429) return { kind: 'sent', remote: null };
    return attemptOf(reply);
  }

  /** @returns why the subscription ended */
  async function subscribe({ signal, onFault, onPress }: Listening): Promise<string> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      // Button presses from before this sink's first subscription are ignored.
      if (memory.read() === null) memory.write(String(Math.floor(now() / 1_000)));
      const response = await fetch(`${base}/${replies}/json?since=${memory.read()}`, {
        headers: signed,
        redirect: 'error',
        signal: AbortSignal.any([signal, silence.signal]),
      });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        return `HTTP ${response.status}`;
      }
      onFault(null);
      for await (const lines of linesOf(response.body)) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        for (const line of lines) await takeLine(line, onPress);
      }
      return 'the server closed the connection';
    } catch (error) {
      return silence.signal.aborted ? 'the server sent nothing for too long' : causeOf(error).message;
    } finally {
      clearTimeout(timer);
    }
  }

  async function takeLine(line: string, onPress: Listening['onPress']): Promise<void> {
    const { data } = Event.safeParse(parseJson(line));
    if (data?.event !== 'message') return;
    const press = readPress(data.message);
    const reply = press === null ? null : await onPress(press);
    memory.write(data.id);
    // A user who presses a button sees only that ntfy has accepted the press. If CBOS did nothing, it reports that in
    // the place where the question was.
    if (reply?.isOurs === true && !reply.isDone) await publish({ message: reply.text, priority: LOWEST });
  }

  const listen = (listening: Listening): Promise<void> => keepListening(listening, () => subscribe(listening));
  return { to: originOf(base), mostButtons: MOST_BUTTONS, send, find, close, listen };
}

/** Returns the whole lines of each part, which may be none. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    yield lines;
  }
}

/** The statuses after which a server may still accept the message later. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429, 507]);

function attemptOf(reply: HttpReply): Attempt {
  if (reply.kind !== 'answered') return { ...reply, afterMs: null };
  const { status, text, retryAfterMs } = reply;
  if (status >= 200 && status < 300) return { kind: 'sent', remote: null };
  const said = z.object({ error: z.string() }).safeParse(parseJson(text)).data?.error;
  const error = said === undefined ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
  if (LATER.has(status)) return { kind: 'unsent', error, afterMs: retryAfterMs };
  return status < 500 ? { kind: 'refused', error } : { kind: 'unsure', error, afterMs: retryAfterMs };
}
