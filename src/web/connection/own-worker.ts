import { ownScript } from './own-script.ts';

const ADDRESS = './service-worker.js';

let worker: Promise<ServiceWorkerRegistration> | null = null;

/** Registers the page's service worker. The browser never loads it from a cache. */
export function registerWorker(): Promise<ServiceWorkerRegistration> {
  worker ??= navigator.serviceWorker
    .register(ownScript(ADDRESS), { updateViaCache: 'none' })
    .then(() => navigator.serviceWorker.ready)
    .catch((error: unknown) => {
      // The server was not reachable, so let the next call try again.
      worker = null;
      throw error;
    });
  return worker;
}

/**
 * Ensures that the service worker at this address is ours. Another program that used the port while the server was down
 * may have left a worker behind, which would continue to answer requests instead of the server.
 */
export function startWorker(): void {
  // Our worker has replaced another program's page with this one, using an address with a query. Restore the normal
  // address.
  if (location.search !== '') history.replaceState(history.state, '', `${location.pathname}${location.hash}`);
  if (!('serviceWorker' in navigator)) return;
  // The only thing that the worker asks is whether this page came from the server.
  navigator.serviceWorker.onmessage = ({ ports }) => ports[0]?.postMessage('ours');
  // Without a worker, there are no notifications, and the code for notifications reports that.
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
  // Do this even if the worker seems to be ours, because another worker with the same address may have different
  // content.
  await registerWorker();
  if (controller !== null && controller.scriptURL !== own) location.reload();
}
