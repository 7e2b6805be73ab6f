import { createHmac, timingSafeEqual } from 'node:crypto';
import { type SinkServer, startSinkServer } from './sink-server.ts';

export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: {
    session: string;
    title: string;
    body: string;
    buttons?: { key: string; label: string }[];
    ended?: string;
  };
}

/** A receiver of signed webhooks that verifies them according to Standard Webhooks 1.0 and drops duplicates. */
export interface WebhookServer extends SinkServer {
  /** each event once, by its id */
  events: Map<string, WebhookEvent>;
  /** how often an event was received again */
  repeated(): number;
  /** its answer to a question; none by default */
  answer: string | null;
}

/** The maximum time between the signature and its receipt, in seconds. */
const TOLERANCE_S = 300;

export async function startWebhook(options: { secret: string; now?: () => number }): Promise<WebhookServer> {
  const { secret, now = Date.now } = options;
  const events: WebhookServer['events'] = new Map();
  let repeated = 0;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const server = await startSinkServer({
    busy: { status: 429, body: 'slow down' },
    answer: ({ headers, body }) => {
      const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': signature = '' } = headers;
      if (Math.abs(Number(at) - now() / 1_000) > TOLERANCE_S) return { status: 400, body: 'too old' };
      const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`);
      const given = Buffer.from(String(signature));
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        return { status: 401, body: 'wrong signature' };
      if (events.has(String(id))) repeated += 1;
      else events.set(String(id), JSON.parse(body) as WebhookEvent);
      return { status: 200, body: started.answer === null ? {} : { answer: started.answer } };
    },
  });
  const started: WebhookServer = Object.assign(server, {
    events,
    repeated: () => repeated,
    answer: null as string | null,
  });
  return started;
}
