import webPush from 'web-push';
import type { PushMessage, PushSubscription } from '../../protocol/index.ts';

/** How long a push service keeps it for a phone that is off: by then the question is old. */
const LIFE_SECONDS = 4 * 3600;

/** A push service that takes longer has a bad day; nobody waits for it. */
const LIMIT_MS = 10_000;

/** What a service answers for a browser that unsubscribed or is gone for good. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/**
 * Sends one notification, encrypted for the browser: the service between sees who gets how much when, and nothing of
 * it.
 * @returns 'gone' when the browser wants no more; otherwise what went wrong
 */
export async function sendPush(options: {
  subscription: PushSubscription;
  vapid: { publicKey: string; privateKey: string };
  subject: string;
  message: PushMessage;
}): Promise<'sent' | 'gone' | string> {
  const { subscription, vapid, subject, message } = options;
  const { endpoint, keys } = subscription;
  const details = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(message), {
    vapidDetails: { subject, ...vapid },
    TTL: LIFE_SECONDS,
    urgency: 'high',
  });
  try {
    const response = await fetch(details.endpoint, {
      method: details.method,
      // Node counts the bytes itself.
      headers: Object.entries(details.headers)
        .filter(([name]) => name !== 'Content-Length')
        .map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(details.body),
      // An endpoint is told by a browser; where it leads to is nobody's choice but the browser's maker's.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return 'sent';
    return GONE.has(response.status) ? 'gone' : `HTTP ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
