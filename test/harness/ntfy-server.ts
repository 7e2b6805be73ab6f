import type { ServerResponse } from 'node:http';
import { type SinkServer, startSinkServer } from './sink-server.ts';

export interface NtfyEvent {
  id: string;
  time: number;
  event: string;
  topic: string;
  message?: string;
  title?: string;
  priority?: number;
  sequence_id?: string;
  actions?: { label: string; url: string; method: string; body: string }[];
}

/** An ntfy server that supports publishing, subscribing, and deleting: https://docs.ntfy.sh/publish/ */
export interface NtfyServer extends SinkServer {
  /** everything that was published on any topic, in order */
  events: NtfyEvent[];
  /** returns what a phone subscribed to the topic shows; a message replaces an earlier one with the same sequence id */
  shown(topic: string): NtfyEvent[];
  /** Presses a button as the app does. */
  press(action: { url: string; method: string; body: string } | undefined): Promise<number>;
  subscribers(): number;
}

/**
 * @param options.isOld a server before 2.16, which has no sequence ids and cannot delete messages
 * @param options.token the token that the server requires
 */
export async function startNtfy(
  options: { isOld?: boolean; token?: string; now?: () => number } = {},
): Promise<NtfyServer> {
  const { isOld = false, token, now = Date.now } = options;
  const events: NtfyEvent[] = [];
  const streams = new Set<{ topic: string; response: ServerResponse }>();
  const refused = (status: number, error: string): { status: number; body: object } => ({
    status,
    body: { code: status * 100 + 1, http: status, error, link: 'https://ntfy.sh/docs/publish/' },
  });

  function happen(event: Omit<NtfyEvent, 'id' | 'time'>): { status: number; body: NtfyEvent } {
    const whole = { id: `m${String(events.length).padStart(11, '0')}`, time: Math.floor(now() / 1_000), ...event };
    events.push(whole);
    for (const { topic, response } of streams) if (topic === event.topic) response.write(`${JSON.stringify(whole)}\n`);
    return { status: 200, body: whole };
  }

  const server = await startSinkServer({
    busy: refused(429, 'limit reached: too many requests, please be nice'),
    answer: ({ method, url, headers, body }, response) => {
      const [topic = '', what] = url.pathname.slice(1).split('/');
      const isReply = token !== undefined && topic.startsWith('cbos-') && method === 'POST';
      if (token !== undefined && !isReply && headers.authorization !== `Bearer ${token}`)
        return refused(403, 'forbidden');
      if (method === 'POST' && topic === '') {
        const { sequence_id: sequence, ...asked } = JSON.parse(body);
        if (Buffer.byteLength(asked.message ?? '') > 4_096) return refused(413, 'message too large');
        if ((asked.actions ?? []).length > 3) return refused(400, 'invalid request: too many actions');
        return happen({
          event: 'message',
          ...asked,
          ...(isOld || sequence === undefined ? {} : { sequence_id: sequence }),
        });
      }
      if (method === 'POST' && what === undefined) return happen({ event: 'message', topic, message: body });
      if (method === 'DELETE') {
        if (isOld || what === undefined) return refused(404, 'page not found');
        return happen({ event: 'message_delete', topic, sequence_id: what });
      }
      if (method !== 'GET' || what !== 'json') return refused(404, 'page not found');
      const since = url.searchParams.get('since') ?? 'all';
      const from = events.findIndex(({ id }) => id === since);
      const cached = events.filter((event, index) => {
        if (event.topic !== topic) return false;
        if (since === 'all') return true;
        return from === -1 ? event.time >= Number(since) : index > from;
      });
      const lines = cached.map((event) => `${JSON.stringify(event)}\n`).join('');
      if (url.searchParams.get('poll') === '1') return { status: 200, body: lines };
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(`${JSON.stringify({ id: 'open', time: 0, event: 'open', topic })}\n${lines}`);
      const stream = { topic, response };
      streams.add(stream);
      response.once('close', () => streams.delete(stream));
      return null;
    },
  });
  return Object.assign(server, {
    events,
    shown: (topic: string) => {
      const notes = new Map<string, NtfyEvent>();
      for (const event of events) {
        if (event.topic !== topic) continue;
        const key = event.sequence_id ?? event.id;
        if (event.event === 'message_delete') notes.delete(key);
        else notes.set(key, event);
      }
      return [...notes.values()];
    },
    press: async (action: { url: string; method: string; body: string } | undefined) => {
      if (action === undefined) throw new Error('there is no such button');
      const { url, method, body } = action;
      const response = await fetch(url, { method, body });
      await response.body?.cancel();
      return response.status;
    },
    subscribers: () => streams.size,
  });
}
