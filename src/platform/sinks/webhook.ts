import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../protocol/index.ts';
import { type HttpReply, originOf, request } from './http-request.ts';
import type { Attempt, SinkDriver, SinkMessage } from './sink-driver.ts';

/** The receiver is a program, so buttons take up no space. */
const MOST_BUTTONS = 20;

const Answered = z.object({ answer: z.string() });

/**
 * Posts messages to an address that the user has configured, signed according to Standard Webhooks 1.0. `webhook-id` is
 * the same in every attempt, so that the receiver can drop duplicates. The signature is an HMAC-SHA256 of the id, the
 * timestamp, and the body. An answer to the question arrives in the response, or later through the API, so CBOS opens
 * no address for it.
 */
export function openWebhook(options: {
  url: string;
  secret: string;
  takesAnswers: boolean;
  now(): number;
}): SinkDriver {
  const { url, secret, takesAnswers, now } = options;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

  const post = (id: string, event: object): Promise<HttpReply> => {
    const body = JSON.stringify({ ...event, timestamp: new Date(now()).toISOString() });
    const timestamp = String(Math.floor(now() / 1_000));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
  };
  const about = ({ session, title, body }: SinkMessage): object => ({ session, title, body });

  return {
    to: originOf(url),
    mostButtons: MOST_BUTTONS,
    send: async (message) => {
      const { buttons } = message;
      const reply = await post(message.id, { type: 'question.asked', data: { ...about(message), buttons } });
      const attempt = attemptOf(reply);
      if (attempt.kind !== 'sent' || !takesAnswers || reply.kind !== 'answered') return attempt;
      const { data: answered } = Answered.safeParse(parseJson(reply.text));
      return answered === undefined ? attempt : { ...attempt, pressed: answered.answer };
    },
    close: async (message, _, ended) =>
      attemptOf(await post(`${message.id}_closed`, { type: 'question.closed', data: { ...about(message), ended } })),
  };
}

/** The status with which a receiver declines all further messages. */
const GONE = 410;

function attemptOf(reply: HttpReply): Attempt {
  if (reply.kind !== 'answered') return { ...reply, afterMs: null };
  const { status, retryAfterMs } = reply;
  if (status >= 200 && status < 300) return { kind: 'sent', remote: null };
  const error = `HTTP ${status}`;
  if (status === GONE) return { kind: 'refused', error };
  // The id lets the receiver drop duplicates, so the attempt may be repeated once the fault has been fixed.
  return { kind: 'unsure', error, afterMs: retryAfterMs };
}
