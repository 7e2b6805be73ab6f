import type { PushMessage } from '../protocol/index.ts';

/**
 * Shows what the server pushes, also while no page is open. It keeps nothing and answers no request of a page: the page is never older
 * than its server.
 */

/** The parts of a service worker's surroundings that are used; the page's own types do not know them. */
interface Worker {
  addEventListener(type: 'install' | 'activate', listener: (event: LongEvent) => void): void;
  addEventListener(type: 'push', listener: (event: LongEvent & { data: { json(): unknown } | null }) => void): void;
  addEventListener(
    type: 'notificationclick',
    listener: (event: LongEvent & { notification: Notification }) => void,
  ): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<PageClient[]>;
    openWindow(address: string): Promise<unknown>;
  };
  registration: ServiceWorkerRegistration;
}

interface LongEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface PageClient {
  url: string;
  visibilityState: string;
  focused: boolean;
  focus(): Promise<PageClient>;
  navigate(address: string): Promise<unknown>;
}

const worker = self as unknown as Worker;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('push', (event) => {
  const message = event.data?.json() as PushMessage | undefined;
  if (message !== undefined) event.waitUntil(show(message));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { session } = event.notification.data as { session: string };
  event.waitUntil(open(`./#/s/${encodeURIComponent(session)}`));
});

async function show({ session, title, body }: PushMessage): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // Somebody looks: the page shows it already.
  if (pages.some(({ visibilityState, focused }) => visibilityState === 'visible' && focused)) return;
  await worker.registration.showNotification(title, {
    body,
    tag: session,
    icon: './icon-192.png',
    badge: './icon-192.png',
    data: { session },
  });
}

async function open(address: string): Promise<void> {
  const [page] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (page === undefined) {
    await worker.clients.openWindow(address);
    return;
  }
  await page.focus();
  await page.navigate(address);
}
