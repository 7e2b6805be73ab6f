import { type NatsLogin, openNatsLink } from '../../platform/nats/index.ts';
import { waitUntil } from '../../platform/process/index.ts';
import { CatalogueError } from '../../protocol/index.ts';

/** How long to wait for the NATS server to reload its configuration. On a busy machine, this takes a while. */
const RELOAD_MS = 20_000;
const RELOAD_LOOK_MS = 50;

/**
 * Waits until the NATS server has reloaded its configuration. The server reloads some time after it has received the
 * signal.
 * @throws CatalogueError nats_failed
 */
export async function untilAdmitted(login: NatsLogin): Promise<void> {
  const admitted = await waitUntil(
    async () => {
      try {
        await (await openNatsLink(login)).close();
        return true;
      } catch {
        return null; // The NATS server does not know the key yet, or is busy.
      }
    },
    { timeoutMs: RELOAD_MS, everyMs: RELOAD_LOOK_MS },
  );
  if (admitted === null) throw new CatalogueError('nats_failed', 'The NATS server rejected the invitation');
}
