import webPush from 'web-push';
import type { PushMessage, PushSubscription } from '../../protocol/index.ts';

/**
 * How long a push service keeps a notification for a phone that is switched off. After that, the question would be out
 * of date.
 */
const LIFE_SECONDS = 4 * 3600;

/**
 * How long to wait for a push service. If it takes longer, something is wrong with the service. No client waits for it.
 */
const LIMIT_MS = 10_000;

/** The HTTP statuses that a push service returns for a browser that has unsubscribed or no longer exists. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/**
 * Sends one notification, which is encrypted for the browser. The push service sees who receives notifications, when,
 * and how large they are, but not what they contain.
 * @returns 'sent'; 'gone' if the browser accepts no more notifications; otherwise a description of what went wrong
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
      // This header is left out, because Node sets it itself.
      headers: Object.entries(details.headers)
        .filter(([name]) => name !== 'Content-Length')
        .map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(details.body),
      // The browser's vendor has chosen the endpoint, so the notification must not follow a redirect to any other
      // place.
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
