import webPush from 'web-push';
import type { PushMessage, PushSubscription } from '../../protocol/index.ts';

/**
 * How long a push service keeps a notification for a phone that is switched off. Later, the question would be out of
 * date.
 */
const LIFE_SECONDS = 4 * 3600;

/** How long to wait for a push service. If it takes longer, something is wrong with it. No client is kept waiting. */
const LIMIT_MS = 10_000;

/** The statuses that a service returns for a browser that has unsubscribed or is permanently gone. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/**
 * Sends one notification, encrypted for the browser. The push service sees who receives notifications, when, and of
 * what size, but not their content.
 * @returns 'gone' if the browser wants no more notifications; otherwise 'sent' or what went wrong
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
      // Node sets Content-Length itself.
      headers: Object.entries(details.headers)
        .filter(([name]) => name !== 'Content-Length')
        .map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(details.body),
      // The browser's vendor chose the endpoint, and a redirect must not take the notification anywhere else.
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
