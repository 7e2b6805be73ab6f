import { ownScript } from './own-script.ts';

const ADDRESS = './service-worker.js';

let worker: Promise<ServiceWorkerRegistration> | null = null;

/** Registers the page's service worker, which is never loaded from a cache. */
export function registerWorker(): Promise<ServiceWorkerRegistration> {
  worker ??= navigator.serviceWorker
    .register(ownScript(ADDRESS), { updateViaCache: 'none' })
    .then(() => navigator.serviceWorker.ready)
    .catch((error: unknown) => {
      // The server was gone, so the next call tries again.
      worker = null;
      throw error;
    });
  return worker;
}

/**
 * Ensures that the service worker of this address is ours. A program that used the port while the server was down may
 * have left a worker behind, which would keep answering in the server's place.
 */
export function startWorker(): void {
  // Our worker loaded this page instead of another program's page, at a special address.
  if (location.search !== '') history.replaceState(history.state, '', `${location.pathname}${location.hash}`);
  if (!('serviceWorker' in navigator)) return;
  // The worker asks only whether this page came from the server.
  navigator.serviceWorker.onmessage = ({ ports }) => ports[0]?.postMessage('ours');
  // Without a worker there are no notifications. The notification code reports that itself.
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
  // This is done even if the worker seems to be ours, because a worker at the same address may have different content.
  await registerWorker();
  if (controller !== null && controller.scriptURL !== own) location.reload();
}
