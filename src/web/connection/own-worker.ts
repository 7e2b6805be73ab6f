import { ownScript } from './own-script.ts';

const ADDRESS = './service-worker.js';

let worker: Promise<ServiceWorkerRegistration> | null = null;

/** The page's service worker, never from a cache. */
export function registerWorker(): Promise<ServiceWorkerRegistration> {
  worker ??= navigator.serviceWorker
    .register(ownScript(ADDRESS), { updateViaCache: 'none' })
    .then(() => navigator.serviceWorker.ready)
    .catch((error: unknown) => {
      // The server was away: the next one who asks tries again.
      worker = null;
      throw error;
    });
  return worker;
}

/**
 * Keeps the service worker of this address our own: a program that had the port while the server was down may have left
 * one, which would answer in the server's place for good.
 */
export function startWorker(): void {
  // A worker of ours loaded this page in place of another program's, under an address of its own.
  if (location.search !== '') history.replaceState(history.state, '', `${location.pathname}${location.hash}`);
  if (!('serviceWorker' in navigator)) return;
  // The worker asks one thing only: whether this page came from the server.
  navigator.serviceWorker.onmessage = ({ ports }) => ports[0]?.postMessage('ours');
  // Without one there are no notifications, which say so themselves.
  replaceOthers().catch(() => undefined);
}

async function replaceOthers(): Promise<void> {
  const registrations = await navigator.serviceWorker.getRegistrations();
  if (registrations.length === 0) return;
  const own = new URL(ADDRESS, location.href).href;
  const { controller } = navigator.serviceWorker;
  for (const registration of registrations) {
    const { active, waiting, installing } = registration;
    const isForeign = [active, waiting, installing].some((one) => one !== null && one.scriptURL !== own);
    if (isForeign) await registration.unregister();
  }
  // Also where it seems to be ours: one under the same address may say something else.
  await registerWorker();
  if (controller !== null && controller.scriptURL !== own) location.reload();
}
