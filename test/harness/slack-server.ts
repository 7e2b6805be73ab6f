import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type SinkAnswer, type SinkServer, startSinkServer } from './sink-server.ts';

interface Text {
  type: string;
  text: string;
}

interface Block {
  type: string;
  text?: Text;
  elements?: SlackButton[];
}

export interface SlackButton {
  action_id: string;
  text: Text;
  value: string;
}

export interface SlackMessage {
  ts: string;
  channel: string;
  /** what notifications show */
  text: string;
  /** the text of its blocks, one below another */
  shown: string;
  buttons: SlackButton[];
  metadata: unknown;
}

/**
 * The part of Slack's Web API and Socket Mode that an app needs in order to write to a channel and to receive button
 * presses.
 */
export interface SlackServer extends SinkServer {
  messages: SlackMessage[];
  /** the notes that only the person who pressed a button saw */
  notes: { user: string; text: string }[];
  /** the envelopes that the app has acknowledged */
  acknowledged: string[];
  /** Presses a button, possibly on an old message. @returns the id of the envelope */
  press(message: Pick<SlackMessage, 'ts' | 'channel'>, button: SlackButton | undefined): string;
  /** Writes to a channel as some person. */
  say(channel: string, text: string): void;
  /** how many connections the app has */
  connections(): number;
  /** Announces the end of every connection, as Slack does after some hours. */
  refresh(reason?: string): void;
}

export const SLACK_TOKEN = 'xoxb-4711-the-token';
export const SLACK_APP_TOKEN = 'xapp-1-the-app-token';
export const SLACK_CHANNEL = 'C0123456789';
/** Starts a server that uses the formats in https://docs.slack.dev (November 2026). */
export async function startSlack({
  now = Date.now,
  mostPerPage = 999,
}: {
  now?: () => number;
  mostPerPage?: number;
} = {}): Promise<SlackServer> {
  const messages: SlackMessage[] = [];
  const notes: SlackServer['notes'] = [];
  const acknowledged: string[] = [];
  let count = 0;
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/link' });
  await new Promise((resolve) => sockets.once('listening', resolve));
  const { port } = sockets.address() as AddressInfo;
  const tickets = new Set<string>();
  sockets.on('connection', (socket: WebSocket, { url }) => {
    if (!tickets.delete(new URL(url ?? '/', 'ws://slack').searchParams.get('ticket') ?? '')) return socket.close();
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A1' } }));
    socket.on('message', (data) => acknowledged.push(JSON.parse(String(data)).envelope_id));
  });
  const toAll = (frame: object): void => {
    for (const socket of sockets.clients) socket.send(JSON.stringify(frame));
  };

  const ok = (result: object): SinkAnswer => ({ status: 200, body: { ok: true, ...result } });
  const failed = (error: string, more: object = {}): SinkAnswer => ({
    status: 200,
    body: { ok: false, error, ...more },
  });
  const makeTs = (): string => {
    count += 1;
    return `${Math.floor(now() / 1_000)}.${String(count).padStart(6, '0')}`;
  };
  const faultOfBlocks = (blocks: Block[]): string | null => {
    const isWrong = ({ type, text, elements = [] }: Block): boolean =>
      (type === 'section' && (text === undefined || text.text === '' || text.text.length > 3_000)) ||
      (type === 'actions' && (elements.length === 0 || elements.length > 25)) ||
      elements.some(({ value, text: label }) => value.length > 2_000 || label.text.length > 75);
    return blocks.length > 50 || blocks.some(isWrong) ? 'invalid_blocks' : null;
  };
  const partsOf = (body: { text: string; blocks: Block[]; metadata?: unknown }) => ({
    text: body.text,
    shown: body.blocks.map(({ text }) => text?.text ?? '').join('\n'),
    buttons: body.blocks.flatMap(({ elements = [] }) => elements),
    metadata: body.metadata ?? null,
  });

  const server = await startSinkServer({
    busy: { status: 429, body: { ok: false, error: 'ratelimited' } },
    answer: ({ method, url, headers, body: text }) => {
      const body = method === 'GET' ? Object.fromEntries(url.searchParams) : JSON.parse(text);
      const name = url.pathname.slice(1);
      const token = name === 'apps.connections.open' ? SLACK_APP_TOKEN : SLACK_TOKEN;
      if (headers.authorization !== `Bearer ${token}`) return failed('invalid_auth');
      if (body.channel !== undefined && body.channel !== SLACK_CHANNEL) return failed('channel_not_found');
      switch (name) {
        case 'chat.postMessage': {
          const fault = faultOfBlocks(body.blocks);
          if (fault !== null) return failed(fault);
          const message = { ts: makeTs(), channel: body.channel, ...partsOf(body) };
          messages.push(message);
          return ok({ channel: message.channel, ts: message.ts, message: { text: message.text } });
        }
        case 'chat.update': {
          const found = messages.find(({ ts }) => ts === body.ts);
          if (found === undefined) return failed('message_not_found');
          Object.assign(found, partsOf(body));
          return ok({ channel: found.channel, ts: found.ts, text: found.text });
        }
        case 'conversations.history': {
          const all = messages.filter(({ ts }) => Number(ts) >= Number(body.oldest)).reverse();
          const from = Number(body.cursor ?? 0);
          const to = from + Math.min(Number(body.limit), mostPerPage);
          const page = all.slice(from, to).map(({ ts, text: said, metadata }) => ({
            ...{ type: 'message', ts, text: said },
            ...(metadata === null || body.include_all_metadata !== 'true' ? {} : { metadata }),
          }));
          const next = to < all.length ? String(to) : '';
          return ok({ messages: page, has_more: next !== '', response_metadata: { next_cursor: next } });
        }
        case 'chat.postEphemeral':
          notes.push({ user: body.user, text: body.text });
          return ok({ message_ts: makeTs() });
        case 'apps.connections.open': {
          count += 1;
          tickets.add(`ticket-${count}`);
          return ok({ url: `ws://127.0.0.1:${port}/link?ticket=ticket-${count}` });
        }
        default:
          return failed('unknown_method');
      }
    },
  });
  const closeWeb = server[Symbol.asyncDispose];
  return Object.assign(server, {
    messages,
    notes,
    acknowledged,
    connections: () => sockets.clients.size,
    refresh: (reason = 'refresh_requested') => toAll({ type: 'disconnect', reason }),
    press: ({ ts, channel }: Pick<SlackMessage, 'ts' | 'channel'>, button: SlackButton | undefined) => {
      count += 1;
      const payload = {
        type: 'block_actions',
        user: { id: 'U7', name: 'ada' },
        container: { type: 'message', message_ts: ts, channel_id: channel },
        channel: { id: channel, name: 'cbos' },
        actions: [{ type: 'button', block_id: 'x', ...button }],
      };
      toAll({ envelope_id: `envelope-${count}`, type: 'interactive', accepts_response_payload: false, payload });
      return `envelope-${count}`;
    },
    say: (channel: string, said: string) => {
      messages.push({ ts: makeTs(), channel, text: said, shown: said, buttons: [], metadata: null });
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => sockets.close(resolve));
      await closeWeb();
    },
  });
}
