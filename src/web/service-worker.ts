import type { PushMessage } from '../protocol/index.ts';

/**
 * Shows the server's push messages, even while no page is open. It caches nothing and does not answer requests from
 * pages, so a page is never older than its server.
 */

/** How long to wait for a page's reply, which is longer than one of our pages takes to load. */
const ANSWER_LIMIT_MS = 3_000;

/** The parts of a service worker's environment that are used here. The types of the page do not include them. */
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
  postMessage(message: string, transfer: Transferable[]): void;
}

const worker = self as unknown as Worker;

/**
 * whether there was another worker before: either an older version of ours, or one that another program left behind
 * while it used the server's port
 */
let replacesAnother = false;

worker.addEventListener('install', (event) => {
  replacesAnother = worker.registration.active !== null;
  event.waitUntil(worker.skipWaiting());
});
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));

worker.addEventListener('push', (event) => {
  const message = event.data?.json() as PushMessage | undefined;
  if (message !== undefined) event.waitUntil(show(message));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { session } = event.notification.data as { session: string };
  event.waitUntil(open(`./#/s/${encodeURIComponent(session)}`));
});

/** A page that does not reply was not loaded from the server, so reload it. */
async function takeOver(): Promise<void> {
  await worker.clients.claim();
  if (!replacesAnother) return;
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await Promise.all(
    pages.map(async (page) => {
      if (await isOurs(page)) return;
      // The address must differ from the current one, because otherwise the browser would only navigate within the
      // current page. Do not await the call, because the navigation waits until this handler has ended.
      void page.navigate(`/?${Date.now()}${new URL(page.url).hash}`);
    }),
  );
}

function isOurs(page: PageClient): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), ANSWER_LIMIT_MS);
    page.postMessage('ours?', [port2]);
  });
}

async function show({ session, title, body }: PushMessage): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // The user is looking at the page, which already shows the session's question.
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
